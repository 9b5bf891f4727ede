"""Change tables (CD tables): the rows of one of them in a window, as Arrow batches in the order of the log.

SQL Replication writes an update as a delete and an insert (CHG_UPD_TO_DEL_INS = 'Y'), next to each other in their transaction.
So a delete that an insert follows, in the same transaction and table, is an update; Debezium pairs them alike. Nothing tells it
from the delete of one row and the insert of another: then both come as an update that changes the key, and so as a delete and
an insert again. The pairs are made here, over columns, which spares the server a window sort.

Source: IBM Db2 documentation, "Structure of the CD table"; Debezium's documentation of the Db2 connector, "Change data tables"
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, DELETE, INSERT, ChangeRows, whole_changes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.bit_data import as_bytes
from tailrace.connectors.db2.connection import Session
from tailrace.errors import LogFormatError

COMMIT: Final = "c.IBMSNAP_COMMITSEQ"
CHANGE: Final = "c.IBMSNAP_INTENTSEQ"
OPERATION: Final = "c.IBMSNAP_OPERATION"
_DELETED, _INSERTED = ord("D"), ord("I")

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ChangeTableQuery:
    """How a change table is read.

    Attributes:
        owner: its schema (CD_OWNER).
        name: its name (CD_TABLE).
        selects: the SELECT list for the source's columns.
        size: of the log sequence numbers, in bytes.
        skipped: operations that are left out, after pairs were made.

    """

    owner: str
    name: str
    selects: tuple[str, ...]
    size: int = 16
    skipped: tuple[int, ...] = ()


def rows_of(session: Session, reading: ChangeTableQuery, window: Window, after: RowPosition | None) -> Generator[ChangeRows]:
    """The rows of a change table in a window after the row `after`.

    Raises:
        LogFormatError: a row has an operation that is neither D nor I.

    """
    return whole_changes(_Query(session, reading, window), after)


def operations(operation: npt.NDArray[np.uint8], commit: Bytes) -> Int64:
    """The operations of neighbouring rows: DELETE, INSERT, and BEFORE with AFTER for the two rows of an update.

    Args:
        operation: `D` or `I` as bytes, shape (n,).
        commit: the commit LSNs, shape (n, size).

    """
    n = len(operation)
    is_update = np.zeros(n, np.bool_)
    if n > 1:
        same = (commit[1:] == commit[:-1]).all(axis=1)
        is_update[:-1] = (operation[:-1] == _DELETED) & (operation[1:] == _INSERTED) & same
    found = np.where(operation == _DELETED, DELETE, INSERT).astype(np.int64)
    found[is_update] = BEFORE
    found[np.flatnonzero(is_update) + 1] = AFTER
    return found


def statement(reading: ChangeTableQuery, window: Window, after: RowPosition | None) -> tuple[str, list[Any]]:
    """The query of the rows, and its parameters."""
    conditions, params = [f"{COMMIT} > ?", f"{COMMIT} <= ?"], [window.after.raw, window.until.raw]
    if after is not None and after.commit > window.after:
        conditions = [f"{COMMIT} >= ?", f"{COMMIT} <= ?", f"({COMMIT} > ? OR {CHANGE} > ?)"]
        params = [after.commit.raw, window.until.raw, after.commit.raw, after.change.raw]
    sql = (
        f"SELECT {', '.join([COMMIT, CHANGE, OPERATION, *reading.selects])} FROM {quoted(reading.owner, reading.name)} AS c "  # noqa: S608 -- quoted
        f"WHERE {' AND '.join(conditions)} ORDER BY {COMMIT}, {CHANGE} FOR READ ONLY"
    )
    return sql, params


def quoted(*names: str) -> str:
    """A name in double quotes, part by part."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


class _Query:
    """A `RowQuery` of one change table."""

    limit = 0

    def __init__(self, session: Session, reading: ChangeTableQuery, window: Window) -> None:
        self._session = session
        self._reading = reading
        self._window = window

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        """Execute the query after a row."""
        sql, params = statement(self._reading, self._window, after)
        return self._session.batches(sql, *params)

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        """`BEFORE` for every delete: the insert that makes an update of it may come next."""
        return BEFORE if batch.column(2)[row].as_py() == "D" else INSERT

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        """The rows of a batch, with updates as pairs."""
        commit = lsn_columns.raw_of(as_bytes(batch.column(0)), "IBMSNAP_COMMITSEQ", self._reading.size)
        change = lsn_columns.raw_of(as_bytes(batch.column(1)), "IBMSNAP_INTENTSEQ", self._reading.size)
        operation = operations(self._letters(batch.column(2)), commit)
        n = batch.num_rows
        rows = ChangeRows(commit, change, np.zeros(n, np.int64), operation, None, batch.columns[3:], batch.nbytes)
        if self._reading.skipped:
            rows = rows.take(np.flatnonzero(~np.isin(operation, self._reading.skipped)))
        return rows

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        """The error for an update that lacks a row; pairs are made here, so it can't be missing."""
        return LogFormatError(f"the update at {at.commit} in {self._reading.owner}.{self._reading.name} has only one row")

    def _letters(self, array: pa.Array) -> npt.NDArray[np.uint8]:
        """The operations as letters."""
        data = array.cast(pa.large_binary())
        offsets = np.frombuffer(data.buffers()[1], np.int64)[data.offset : data.offset + len(data) + 1]
        letters = np.frombuffer(data.buffers()[2], np.uint8)[offsets[:-1]]
        wrong = np.flatnonzero((letters != _DELETED) & (letters != _INSERTED))
        if array.null_count or (np.diff(offsets) != 1).any() or len(wrong):
            shown = array[int(wrong[0])].as_py() if len(wrong) else None
            raise LogFormatError(
                f"the change table {self._reading.owner}.{self._reading.name} has the operation {shown!r}, which is neither D "
                "nor I. Register its table with CHG_UPD_TO_DEL_INS = 'Y'"
            )
        return letters
