"""Rows of a change table, as they are read: in log order, with both images of an update or neither.

A query returns Arrow batches of any length. Between an update's two rows, a batch may end, and so may a query at its
row limit.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.errors import LogFormatError

DELETE, INSERT, BEFORE, AFTER, AFTER_ALONE = 1, 2, 3, 4, 5
"""Operations; an update has two rows, `BEFORE` and then `AFTER`, or one where the database does not tell what was before."""
Int64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class ChangeRows:
    """`n` rows of a change table, with both rows of an update or neither.

    Attributes:
        commit: commit LSNs, shape (n, size).
        change: the changes' own LSNs, shape (n, size).
        command: the command within the transaction, 0 if it is not known; shape (n,). Where it is known,
            snapshots take the rows of one command for the effect of one statement (`snapshots/touched_rows.py`).
        operation: `DELETE`, `INSERT`, `BEFORE`, `AFTER` or `AFTER_ALONE`; shape (n,).
        mask: the update mask, which says which columns changed, binary; None if it was not selected.
        columns: the selected columns, in order.
        bytes: their size in memory.

    """

    commit: Bytes
    change: Bytes
    command: Int64
    operation: Int64
    mask: pa.Array | None
    columns: list[pa.Array]
    bytes: int

    def __len__(self) -> int:
        return len(self.operation)

    @property
    def changes(self) -> int:
        """The number of changes: an update has two rows."""
        return int(np.count_nonzero(self.operation != AFTER))

    def take(self, rows: npt.NDArray[np.intp]) -> ChangeRows:
        """The rows with these indices, in that order."""
        places = pa.array(rows)
        return ChangeRows(
            self.commit[rows],
            self.change[rows],
            self.command[rows],
            self.operation[rows],
            None if self.mask is None else self.mask.take(places),
            [column.take(places) for column in self.columns],
            self.bytes,
        )

    def position(self, index: int, serial: int = 1) -> RowPosition:
        """The position of a row."""
        return RowPosition(
            lsn_columns.lsn_at(self.commit, index),
            int(self.command[index]),
            lsn_columns.lsn_at(self.change, index),
            int(self.operation[index]),
            serial,
        )


class RowQuery(Protocol):
    """How one database is queried for the rows of a change table in a window.

    Attributes:
        limit: the greatest number of rows that a query returns; the next one begins after the last of them. 0: no
            limit.

    """

    limit: int

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        """Execute it for the rows after `after`, in log order; a batch has at least one row."""
        ...

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        """The operation of a row, as far as the row alone determines it.

        `BEFORE` if the row may be followed by the update's other row, for which the reader then waits; `rows` decides
        finally. So a database that writes an update as a delete and an insert returns `BEFORE` for every delete.
        """
        ...

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        """The rows of a batch.

        Raises:
            LogFormatError: one has an unknown operation.

        """
        ...

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        """The error for an update with only one of its two rows."""
        ...


def whole_changes(query: RowQuery, after: RowPosition | None) -> Generator[ChangeRows]:
    """The rows of a query after the row `after`, batch by batch.

    Raises:
        LogFormatError: an update has only one of its two rows.

    """
    held: pa.RecordBatch | None = None
    while True:
        count = 0
        for batch in query.batches(after):
            count += batch.num_rows
            whole, held = _whole(query, batch if held is None else pa.concat_batches([held, batch]))
            if whole is not None:
                yield _checked(query.rows(whole), query)
            last = batch
        if not query.limit or count < query.limit:
            break
        # The last row may be the one that is held; it was returned all the same, so the next query begins after it.
        after = query.rows(last.slice(last.num_rows - 1)).position(0)
    if held is not None:
        yield _checked(query.rows(held), query)


def _whole(query: RowQuery, batch: pa.RecordBatch) -> tuple[pa.RecordBatch | None, pa.RecordBatch | None]:
    """The batch without its last row, if that is the first one of an update, and that row."""
    n = batch.num_rows
    if query.operation(batch, n - 1) != BEFORE:
        return batch, None
    return (batch.slice(0, n - 1) if n > 1 else None), batch.slice(n - 1)


def _checked(rows: ChangeRows, query: RowQuery) -> ChangeRows:
    """The rows, after a check that each `BEFORE` is followed by an `AFTER`."""
    first = np.flatnonzero(rows.operation == BEFORE)
    second = np.flatnonzero(rows.operation == AFTER)
    if len(first) != len(second) or (first + 1 != second).any():
        raise _incomplete_update(rows, query)
    return rows


def _incomplete_update(rows: ChangeRows, query: RowQuery) -> LogFormatError:
    images = np.flatnonzero(np.isin(rows.operation, (BEFORE, AFTER)))
    kinds = rows.operation[images]
    wrong = images[np.flatnonzero(kinds != np.where(np.arange(len(kinds)) % 2, AFTER, BEFORE))[:1]]
    return query.incomplete_update(rows.position(int(wrong[0]) if len(wrong) else len(rows) - 1))
