"""Change tables (CD tables): the rows of one of them in a window, as Arrow batches in the order of the log.

SQL Replication writes an update as a delete and an insert (CHG_UPD_TO_DEL_INS = 'Y'), next to each other in their transaction.
So a delete that an insert follows, in the same transaction and table, is an update; Debezium pairs them alike. Nothing tells it
from the delete of one row and the insert of another: then both come as an update that changes the key, and so as a delete and
an insert again. The pairs are made here, over columns, which spares the server a window sort.

Registered otherwise, an update is one row (`U`), with the new image alone, as is usual on z/OS; or with the old one too, in
columns of their own, whose names have a prefix (BEFORE_IMG_PREFIX).

Source: IBM Db2 documentation, "Structure of the CD table"; Debezium's documentation of the Db2 connector, "Change data tables"
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import (
    AFTER,
    AFTER_ALONE,
    BEFORE,
    DELETE,
    INSERT,
    ChangeRows,
    whole_changes,
)
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.bit_data import as_bytes, of_width
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.lsn import SIZE, raw_of
from tailrace.errors import LogFormatError

ALIAS: Final = "c"
COMMIT: Final = "c.IBMSNAP_COMMITSEQ"
CHANGE: Final = "c.IBMSNAP_INTENTSEQ"
OPERATION: Final = "c.IBMSNAP_OPERATION"
_KEYS: Final = 3
_DELETED, _INSERTED, _UPDATED = ord("D"), ord("I"), ord("U")
_LETTERS: Final = (b"D", b"I", b"U")
_IS_LETTER: Final = np.isin(np.arange(256), (_DELETED, _INSERTED, _UPDATED))
_ALL: Final = 1 << 31

Int64 = npt.NDArray[np.int64]
Letters = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ChangeTableQuery:
    """How a change table is read.

    Attributes:
        table: its name in SQL.
        selects: the SELECT list for the source's columns.
        size: of the log sequence numbers, in bytes.
        skipped: operations that are left out, after pairs were made.
        before: for each of `selects`, the expression for the image before an update; None: the table does not have it.
        never_null: those of `selects`, by number, that are not null in any row of the source. Where one is null, the row is
            from before the images were captured, and has none.

    """

    table: str
    selects: tuple[str, ...]
    size: int = SIZE
    skipped: tuple[int, ...] = ()
    before: tuple[str | None, ...] = ()
    never_null: tuple[int, ...] = ()


def rows_of(
    session: Session,
    reading: ChangeTableQuery,
    window: Window,
    after: RowPosition | None,
    batch_rows: Callable[[], int] = lambda: _ALL,
) -> Generator[ChangeRows]:
    """The rows of a change table in a window after the row `after`; `batch_rows` returns how many come next at most.

    Raises:
        LogFormatError: a row has an operation that is none of D, I and U.

    """
    for rows in whole_changes(_Query(session, reading, window, batch_rows), after):
        kept = rows
        if reading.skipped:
            kept = rows.take(np.flatnonzero(~np.isin(rows.operation, reading.skipped)))
        if len(kept):
            yield kept


def operations(operation: Letters, commit: Bytes) -> Int64:
    """The operations of neighbouring rows: DELETE, INSERT, AFTER_ALONE, and BEFORE with AFTER for the two rows of an update.

    Args:
        operation: `D`, `I` or `U` as bytes, shape (n,).
        commit: the commit LSNs, shape (n, size).

    """
    n = len(operation)
    is_update = np.zeros(n, np.bool_)
    if n > 1:
        transaction, _ = lsn_columns.runs_of(commit)
        same = transaction[1:] == transaction[:-1]
        is_update[:-1] = (operation[:-1] == _DELETED) & (operation[1:] == _INSERTED) & same
    found = np.where(operation == _DELETED, DELETE, np.where(operation == _UPDATED, AFTER_ALONE, INSERT)).astype(np.int64)
    found[is_update] = BEFORE
    found[np.flatnonzero(is_update) + 1] = AFTER
    return found


def statement(reading: ChangeTableQuery, window: Window, after: RowPosition | None) -> tuple[str, list[Any]]:
    """The query of the rows, and its parameters."""
    conditions, params = [f"{COMMIT} > ?", f"{COMMIT} <= ?"], [window.after.raw, window.until.raw]
    if after is not None and after.commit > window.after:
        conditions = [f"{COMMIT} >= ?", f"{COMMIT} <= ?", f"({COMMIT} > ? OR {CHANGE} > ?)"]
        params = [after.commit.raw, window.until.raw, after.commit.raw, after.change.raw]
    before = [each for each in reading.before if each is not None]
    sql = (
        f"SELECT {', '.join([COMMIT, CHANGE, OPERATION, *reading.selects, *before])} FROM {reading.table} AS {ALIAS} "  # noqa: S608
        f"WHERE {' AND '.join(conditions)} ORDER BY {COMMIT}, {CHANGE} FOR READ ONLY"
    )
    return sql, params


class _Query:
    """A `RowQuery` of one change table."""

    limit = 0

    def __init__(
        self, session: Session, reading: ChangeTableQuery, window: Window, batch_rows: Callable[[], int]
    ) -> None:
        self._session = session
        self._reading = reading
        self._window = window
        self._batch_rows = batch_rows

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        """Execute the query after a row."""
        sql, params = statement(self._reading, self._window, after)
        for batch in self._session.batches(sql, *params):
            at = 0
            while at < batch.num_rows:
                wanted = max(self._batch_rows(), 1)
                yield batch.slice(at, wanted)
                at += wanted

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        """`BEFORE` for every delete: the insert that makes an update of it may come next."""
        return BEFORE if batch.column(2)[row].as_py() == "D" else INSERT

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        """The rows of a batch, with updates as pairs."""
        commit = raw_of(batch.column(0), "IBMSNAP_COMMITSEQ", self._reading.size)
        change = raw_of(batch.column(1), "IBMSNAP_INTENTSEQ", self._reading.size)
        operation = operations(self._letters(batch.column(2)), commit)
        width = len(self._reading.selects)
        columns, before = batch.columns[_KEYS : _KEYS + width], batch.columns[_KEYS + width :]
        rows = ChangeRows(commit, change, np.zeros(len(operation), np.int64), operation, None, columns, batch.nbytes)
        return _with_before(rows, self._reading, before) if before else rows

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        """The error for an update that lacks a row; pairs are made here, so it can't be missing."""
        return LogFormatError(f"the update at {at.commit} in {self._reading.table} has only one row")

    def _letters(self, array: pa.Array) -> Letters:
        """The operations as letters."""
        found = of_width(array, 1)
        if found is None or not _IS_LETTER[found].all():
            wrong = next(value for value in as_bytes(array).to_pylist() if value not in _LETTERS)
            shown = "NULL" if wrong is None else repr(wrong.decode(errors="replace"))
            raise LogFormatError(
                f"the change table {self._reading.table} has the operation {shown}, which is none of D, I and U: is it a "
                "change table of SQL Replication?"
            )
        return found.reshape(-1)


def _with_before(rows: ChangeRows, reading: ChangeTableQuery, before: list[pa.Array]) -> ChangeRows:
    """The rows, where each update that is one row with both images becomes two."""
    old = dict(zip((i for i, each in enumerate(reading.before) if each is not None), before, strict=True))
    is_update = (rows.operation == AFTER_ALONE) & _have_images(len(rows), old, reading.never_null)
    made = rows.take(np.repeat(np.arange(len(rows)), np.where(is_update, 2, 1)))
    first = np.flatnonzero(is_update) + np.arange(np.count_nonzero(is_update))
    made.operation[first], made.operation[first + 1] = BEFORE, AFTER
    is_first = np.zeros(len(made), np.bool_)
    is_first[first] = True
    places = pa.array(np.repeat(np.arange(len(rows)), np.where(is_update, 2, 1)))
    for i, column in enumerate(made.columns):
        other = old[i].take(places) if i in old else pa.nulls(len(made), column.type)
        made.columns[i] = pc.if_else(pa.array(is_first), other, column)
    return made


def _have_images(count: int, old: Mapping[int, pa.Array], never_null: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Which rows have the image before an update, shape (count,): its columns may be younger than the row."""
    known = [old[i] for i in never_null if i in old]
    found = np.full(count, bool(known))
    for each in known:
        found &= _is_there(each)
    for each in () if known else old.values():
        found |= _is_there(each)
    return found


def _is_there(values: pa.Array) -> npt.NDArray[np.bool_]:
    there: npt.NDArray[np.bool_] = pc.is_valid(values).to_numpy(zero_copy_only=False)
    return there
