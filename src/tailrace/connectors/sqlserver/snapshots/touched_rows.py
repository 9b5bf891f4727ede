"""What a window of the log says of one table's rows: which were changed, and what they were before.

Order is that of the change table, by commit, command and change. But within one command deletes count before inserts: a
statement that hands keys on from row to row takes them all away before it gives them again, and is told row by row.

What an image before lacks. `varchar(max)`, `nvarchar(max)` and `varbinary(max)` are NULL in the image before an update that
does not change them; then the image after has the value. `text`, `ntext` and `image` are always NULL there, and in a delete;
where an update does not change them the image after may have the value, else it is not known. So the image is not complete
then, and the row is delivered as it is read, if it is still there; the stream from P mends it. Computed columns are never
told, here as in the stream, and count as complete.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver.captured import changed
from tailrace.connectors.sqlserver.change_tables import rows_of
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.snapshots.bounds import key_vectors
from tailrace.connectors.sqlserver.snapshots.read_tables import Large, ReadTable
from tailrace.connectors.sqlserver.snapshots.row_digests import row_digests
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.tables import Table
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.key_bytes import key_bytes

BATCH_ROWS: Final = 1 << 15

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class TouchedRows:
    """Changes of one table, in the order that counts.

    Attributes:
        table: the structure.
        columns: the row images that can be shown.
        before: where each change's image before is in them, -1 where there is none; shape (n,).
        images: which row of the window that image is, -1 where there is none.
        keys: the key's columns over all rows of the window; none where the table has no key.

    """

    table: Table
    columns: list[Vector | None]
    before: INT32
    images: INT32
    keys: list[Vector]


def touches(session: Session, read: ReadTable, window: Window, skipped: tuple[int, ...] = ()) -> TableTouches | None:
    """What a window says of a table, but for some operations; None: nothing."""
    found = list(rows_of(session, replace(read.reading, skipped=skipped), window, None, lambda: BATCH_ROWS))
    return None if not found else touches_of(read, _together(found))


def touches_of(read: ReadTable, rows: ChangeRows) -> TableTouches:
    """The same of rows that were read, all of a window."""
    arrays, complete = completed(read, rows)
    of_columns, of_key = read.split(arrays)
    columns, places = read.shown(of_columns, len(rows), lambda row: f"the change at {rows.position(row)}")
    keys = [] if read.key is None else key_vectors(read.key, of_key)
    first = in_order(rows)
    operation = rows.operation[first]
    before = np.where(operation == INSERT, -1, first).astype(np.int32)
    after = np.where(operation == DELETE, -1, np.where(operation == BEFORE, first + 1, first)).astype(np.int32)
    touched = TouchedRows(read.table, columns, np.where(before < 0, -1, places[before]), before, keys)
    is_whole = read.key is None
    digests = row_digests(read, columns, places) if is_whole else digests_of(key_bytes(keys))
    name = quoted_id(read.table.id)
    return TableTouches.of_images(name, before, after, digests, complete, touched, is_whole=is_whole)


def in_order(rows: ChangeRows) -> Int64:
    """The rows that begin a change, in the order that counts: within a command deletes come first."""
    first = np.flatnonzero(rows.operation != AFTER)
    run, _ = lsn_columns.runs_of(rows.commit[first])
    command = rows.command[first]
    is_new = np.ones(len(first), np.bool_)
    is_new[1:] = (run[1:] != run[:-1]) | (command[1:] != command[:-1])
    order = np.lexsort((rows.operation[first] != DELETE, np.cumsum(is_new)))
    return first[order]


def completed(read: ReadTable, rows: ChangeRows) -> tuple[list[pa.Array], Mask]:
    """What was selected, with the values that other images know, and which images have every value."""
    arrays, complete = list(rows.columns), np.ones(len(rows), np.bool_)
    for large in read.large:
        place = read.place(large.column)
        arrays[place], is_known = _known(arrays[place], rows, large)
        complete &= is_known
    return arrays, complete


def _known(arrays: Sequence[pa.Array], rows: ChangeRows, large: Large) -> tuple[list[pa.Array], Mask]:
    """One column's values, and where they are known."""
    if rows.mask is None:
        raise ValueError("the update mask was not read")
    n = len(rows)
    is_before, is_delete = rows.operation == BEFORE, rows.operation == DELETE
    is_same = is_before & ~changed(rows.mask, large.ordinal)
    is_null = np.asarray(arrays[0].is_null())
    taken = np.arange(n) + (is_same & is_null)
    found = [array.take(pa.array(taken)) for array in arrays] if (is_same & is_null).any() else list(arrays)
    if large.is_max:
        return found, np.ones(n, np.bool_)
    return found, ~(is_before | is_delete) | np.asarray(found[0].is_valid())


def _together(parts: Sequence[ChangeRows]) -> ChangeRows:
    """All rows of a window in one."""
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
