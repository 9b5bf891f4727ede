"""The changes of one table's rows in a window, with their before images.

They are in the order of the change table: by commit, command and change LSN. But within one command deletes come before
inserts: a statement that moves keys from row to row removes them all before it assigns them again, although capture has
it row by row.

If a database has no commands, or a row lacks its command (older versions of SQL Server wrote none), the order is only that
of the change table: a row that a transaction inserts and deletes did not exist before. A statement that moves a key to another
row can't be distinguished there from one that inserts it. So the row that had the key is not in the snapshot; the log has
its change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.snapshots.bounds import key_vectors
from tailrace.connectors.change_tables.snapshots.databases import ReadTable
from tailrace.connectors.change_tables.snapshots.row_digests import row_digests
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import Table
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.key_bytes import key_bytes

Int64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class TouchedRows:
    """Changes of one table, in the order that counts.

    Attributes:
        table: the structure.
        columns: the row images that can be converted.
        before: index of each change's before image in them, -1 if there is none; shape (n,).
        images: index of that image among the window's rows, -1 if there is none.
        keys: the key's columns over all rows of the window; empty if the table has no key.

    """

    table: Table
    columns: list[Vector | None]
    before: INT32
    images: INT32
    keys: list[Vector]


def touches(read: ReadTable, rows: Iterable[ChangeRows]) -> TableTouches | None:
    """The changes of a window to a table; None: there are none."""
    found = list(rows)
    return None if not found else touches_of(read, _together(found))


def touches_of(read: ReadTable, rows: ChangeRows) -> TableTouches:
    """The same from rows, all of a window."""
    arrays, complete = read.completed(rows)
    of_columns, of_key = read.split(arrays)
    columns, places = read.convertible_values(of_columns, len(rows), lambda row: f"the change at {rows.position(row)}")
    keys = [] if read.key is None else key_vectors(read.key, of_key)
    first = in_order(rows)
    operation = rows.operation[first]
    before = np.where(operation == INSERT, -1, first).astype(np.int32)
    after = np.where(operation == DELETE, -1, np.where(operation == BEFORE, first + 1, first)).astype(np.int32)
    touched = TouchedRows(read.table, columns, np.where(before < 0, -1, places[before]), before, keys)
    key, name = read.key, quoted_id(read.table.id)
    digests = row_digests(read, columns, places) if key is None else digests_of(key_bytes(key.identifying(keys)))
    return TableTouches.of_images(name, before, after, digests, complete, touched, is_whole=key is None)


def in_order(rows: ChangeRows) -> Int64:
    """The first rows of changes, in the order that counts: within a command, if it is known, deletes come first."""
    first = np.flatnonzero(rows.operation != AFTER)
    run, _ = lsn_columns.runs_of(rows.commit[first])
    command = rows.command[first]
    is_new = np.ones(len(first), np.bool_)
    is_new[1:] = (run[1:] != run[:-1]) | (command[1:] != command[:-1]) | (command[1:] == 0)
    # lexsort is stable: deletes among themselves, and the others, stay in order.
    order = np.lexsort((rows.operation[first] != DELETE, np.cumsum(is_new)))
    return first[order]


def _together(parts: Sequence[ChangeRows]) -> ChangeRows:
    """All rows of a window, concatenated."""
    if len(parts) == 1:
        return parts[0]
    masks = [part.mask for part in parts if part.mask is not None]
    return ChangeRows(
        np.concatenate([part.commit for part in parts]),
        np.concatenate([part.change for part in parts]),
        np.concatenate([part.command for part in parts]),
        np.concatenate([part.operation for part in parts]),
        pa.concat_arrays(masks) if masks else None,
        [pa.concat_arrays(column) for column in zip(*(part.columns for part in parts), strict=True)],
        sum(part.bytes for part in parts),
    )
