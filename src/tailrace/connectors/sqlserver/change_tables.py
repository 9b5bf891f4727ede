"""Change tables: the rows of one capture instance in a window, as Arrow batches in log order.

Either the table itself is read (`data.query.mode=direct`), ordered by commit LSN, command, change LSN and operation; or
the query function of the instance (`function`), which has no command id. A window is a range of commit LSNs; reading
may resume within a transaction, after any row.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.positions import RowPosition
from tailrace.connectors.change_tables.rows import AFTER, DELETE, ChangeRows, whole_changes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.lsn import SIZE
from tailrace.errors import LogFormatError

START: Final = "c.[__$start_lsn]"
CHANGE: Final = "c.[__$seqval]"
OPERATION: Final = "c.[__$operation]"
COMMAND: Final = "c.[__$command_id]"
MASK: Final = "c.[__$update_mask]"

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InstanceQuery:
    """How an instance is read.

    Attributes:
        instance: the instance.
        selects: the SELECT list for the captured columns.
        by_function: whether its query function is used.
        mask: whether the update mask is selected.
        skipped: operations that are left out.
        limit: the greatest number of rows in a query; 0: no limit.

    """

    instance: Instance
    selects: tuple[str, ...]
    by_function: bool = False
    mask: bool = False
    skipped: tuple[int, ...] = ()
    limit: int = 0


def rows_of(
    session: Session, reading: InstanceQuery, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
) -> Generator[ChangeRows]:
    """The rows of an instance in a window after the row `after`; `batch_rows` returns how many come next.

    Raises:
        LogFormatError: an update has only one of its two rows.

    """
    return whole_changes(_Query(session, reading, window, batch_rows), after)


class _Query:
    """A `RowQuery` of one instance."""

    def __init__(self, session: Session, reading: InstanceQuery, window: Window, batch_rows: Callable[[], int]) -> None:
        self._session = session
        self._reading = reading
        self._window = window
        self._batch_rows = batch_rows
        self.limit = reading.limit

    def batches(self, after: RowPosition | None) -> Iterator[pa.RecordBatch]:
        """Execute the query after a row."""
        sql, params = statement(self._reading, self._window, after)
        return self._session.batches(sql, *params, rows=self._batch_rows)

    def operation(self, batch: pa.RecordBatch, row: int) -> int | None:
        """The operation, which is the third column."""
        found: int | None = batch.column(2)[row].as_py()
        return found

    def rows(self, batch: pa.RecordBatch) -> ChangeRows:
        """The rows of a batch."""
        rows = _rows(batch, self._reading)
        _require_known(rows)
        return rows

    def incomplete_update(self, at: RowPosition) -> LogFormatError:
        """The error for an update that lacks a row."""
        instance = self._reading.instance
        return LogFormatError(
            f"{instance.table}: the update at {at.commit} (change {at.change}) in cdc.{instance.change_table} has only one of "
            "its two rows; take a new snapshot of the table, or have it captured anew"
        )


def statement(reading: InstanceQuery, window: Window, after: RowPosition | None) -> tuple[str, list[Any]]:
    """The query of an instance's rows, and its parameters."""
    order = [START, *([] if reading.by_function else [COMMAND]), CHANGE, OPERATION]
    keys = [START, CHANGE, OPERATION, *([] if reading.by_function else [COMMAND]), *([MASK] if reading.mask else [])]
    source, params = _source(reading, window)
    conditions, more = _behind(reading, window, after)
    if reading.skipped:
        conditions.append(f"{OPERATION} NOT IN ({', '.join(map(str, reading.skipped))})")
    top = f"TOP ({reading.limit}) " if reading.limit else ""
    sql = (  # names are quoted, values are parameters
        f"SELECT {top}{', '.join([*keys, *reading.selects])} FROM {source} "  # noqa: S608
        f"WHERE {' AND '.join(conditions)} ORDER BY {', '.join(order)}"
    )
    return sql, [*params, *more]


def _source(reading: InstanceQuery, window: Window) -> tuple[str, list[Any]]:
    if not reading.by_function:
        return f"{quoted('cdc', reading.instance.change_table)} AS c", []
    function = quoted("cdc", f"fn_cdc_get_all_changes_{reading.instance.name}")
    first = window.after.next()
    if reading.instance.start_lsn is not None:
        first = max(first, reading.instance.start_lsn)  # the function refuses a range that begins earlier (error 313)
    return f"{function}(?, ?, N'all update old') AS c", [first.raw, window.until.raw]


def _behind(reading: InstanceQuery, window: Window, after: RowPosition | None) -> tuple[list[str], list[Any]]:
    """The conditions on position columns, and their parameters."""
    until = f"{START} <= ?"
    if after is None or after.commit <= window.after:
        return [f"{START} > ?", until], [window.after.raw, window.until.raw]
    change = f"({CHANGE} > ? OR ({CHANGE} = ? AND {OPERATION} > ?))"
    params = [after.change.raw, after.change.raw, after.operation]
    if not reading.by_function:
        same = f"{COMMAND} = ?" if after.command else f"({COMMAND} IS NULL OR {COMMAND} = ?)"  # NULLs come first, as 0
        change = f"({COMMAND} > ? OR ({same} AND {change}))"
        params = [after.command, after.command, *params]
    rest = f"({START} > ? OR {change})"
    return [f"{START} >= ?", until, rest], [after.commit.raw, window.until.raw, after.commit.raw, *params]


def _rows(batch: pa.RecordBatch, reading: InstanceQuery) -> ChangeRows:
    n = batch.num_rows
    columns = batch.columns
    at = 3
    command = np.zeros(n, np.int64)
    if not reading.by_function:
        command = _numbers(columns[at], "__$command_id")
        at += 1
    mask = None
    if reading.mask:
        mask = columns[at]
        at += 1
    return ChangeRows(
        lsn_columns.raw_of(columns[0], "__$start_lsn", SIZE),
        lsn_columns.raw_of(columns[1], "__$seqval", SIZE),
        command,
        _numbers(columns[2], "__$operation"),
        mask,
        columns[at:],
        batch.nbytes,
    )


def _numbers(array: pa.Array, name: str) -> Int64:
    if not array.null_count:
        return array.to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]
    if name == "__$command_id":  # of rows that an older version of SQL Server captured
        return array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)  # type: ignore[no-any-return]
    raise LogFormatError(f"{name} is NULL in a row of a change table")


def _require_known(rows: ChangeRows) -> None:
    unknown = np.flatnonzero((rows.operation < DELETE) | (rows.operation > AFTER))
    if len(unknown):
        at = int(unknown[0])
        raise LogFormatError(
            f"the change {rows.position(at)} has the operation {rows.operation[at]}, which is none of SQL Server's"
        )
