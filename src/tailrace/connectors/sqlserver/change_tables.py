"""Change tables: the rows of one capture instance in a window of the log, as Arrow batches, in the order of the log.

The table itself is read (`data.query.mode=direct`), ordered by commit, command, change LSN and operation, or the function
that change data capture made for the instance (`function`), which knows no command. A window is the transactions whose
commit LSN lies behind one and not behind another; reading may go on within a transaction, behind any row.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Bytes
from tailrace.connectors.sqlserver import lsn_columns
from tailrace.connectors.sqlserver.catalog import Instance
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.lsn import Lsn
from tailrace.connectors.sqlserver.positions import RowPosition
from tailrace.errors import LogFormatError

DELETE, INSERT, BEFORE, AFTER = 1, 2, 3, 4  # __$operation
START: Final = "c.[__$start_lsn]"
CHANGE: Final = "c.[__$seqval]"
OPERATION: Final = "c.[__$operation]"
COMMAND: Final = "c.[__$command_id]"
MASK: Final = "c.[__$update_mask]"

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a log: the transactions behind `after`, up to and with `until`."""

    after: Lsn
    until: Lsn

    @property
    def is_empty(self) -> bool:
        """Whether no transaction can lie in it."""
        return self.after >= self.until

    def cut(self, start: Lsn | None, stop: Lsn | None) -> Window:
        """What of it lies at or behind `start` and before `stop`; None: no limit."""
        after = self.after if start is None else max(self.after, start.previous())
        return Window(after, self.until if stop is None else min(self.until, stop.previous()))


@dataclass(frozen=True, slots=True)
class Reading:
    """How an instance is read.

    Attributes:
        instance: which.
        selects: what is selected of the captured columns.
        by_function: through its function.
        mask: which columns an update changed is wanted.
        skipped: operations that are left out.
        limit: at most so many rows a query; 0: no limit.

    """

    instance: Instance
    selects: tuple[str, ...]
    by_function: bool = False
    mask: bool = False
    skipped: tuple[int, ...] = ()
    limit: int = 0


@dataclass(slots=True)
class ChangeRows:
    """`n` rows of a change table; of an update either both rows or none.

    Attributes:
        commit: commit LSNs, shape (n, 10).
        change: the changes' own LSNs, shape (n, 10).
        command: the command within the transaction, 0 where it is not known; shape (n,).
        operation: SQL Server's numbers; shape (n,).
        mask: which columns changed, binary; None where it is not asked for.
        columns: what was selected, in that order.
        bytes: how much memory it takes.

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
        """How many changes they are: an update has two rows."""
        return int(np.count_nonzero(self.operation != AFTER))

    def take(self, rows: npt.NDArray[np.intp]) -> ChangeRows:
        """Some of them, in that order."""
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


def rows_of(
    session: Session, reading: Reading, window: Window, after: RowPosition | None, batch_rows: Callable[[], int]
) -> Generator[ChangeRows]:
    """The rows of an instance in a window, behind the row `after`, so many at a time as `batch_rows` says.

    Raises:
        LogFormatError: an update has only one of its two rows.

    """
    held: pa.RecordBatch | None = None
    while True:
        sql, params = statement(reading, window, after)
        count = 0
        for batch in session.batches(sql, *params, rows=batch_rows):
            count += batch.num_rows
            whole, held = _whole(batch if held is None else pa.concat_batches([held, batch]))
            if whole is not None:
                rows = _rows(whole, reading)
                _check_pairs(rows, reading)
                yield rows
            last = batch
        if not reading.limit or count < reading.limit:
            break
        after = _rows(last.slice(last.num_rows - 1), reading).position(0)
    if held is not None:
        raise _torn(_rows(held, reading), reading)


def statement(reading: Reading, window: Window, after: RowPosition | None) -> tuple[str, list[Any]]:
    """The query and its parameters."""
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


def _source(reading: Reading, window: Window) -> tuple[str, list[Any]]:
    if not reading.by_function:
        return f"{quoted('cdc', reading.instance.change_table)} AS c", []
    function = quoted("cdc", f"fn_cdc_get_all_changes_{reading.instance.name}")
    first = window.after.next()
    if reading.instance.start_lsn is not None:
        first = max(first, reading.instance.start_lsn)  # the function takes no range that begins earlier
    return f"{function}(?, ?, N'all update old') AS c", [first.raw, window.until.raw]


def _behind(reading: Reading, window: Window, after: RowPosition | None) -> tuple[list[str], list[Any]]:
    """The conditions on the keys, and their parameters."""
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


def _whole(batch: pa.RecordBatch) -> tuple[pa.RecordBatch | None, pa.RecordBatch | None]:
    """The batch without a last row that is the first of an update's two, and that row."""
    n = batch.num_rows
    if batch.column(2)[n - 1].as_py() != BEFORE:
        return batch, None
    return (batch.slice(0, n - 1) if n > 1 else None), batch.slice(n - 1)


def _rows(batch: pa.RecordBatch, reading: Reading) -> ChangeRows:
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
        lsn_columns.raw_of(columns[0], "__$start_lsn"),
        lsn_columns.raw_of(columns[1], "__$seqval"),
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


def _check_pairs(rows: ChangeRows, reading: Reading) -> None:
    """Each row before an update is followed by the one after it."""
    first = np.flatnonzero(rows.operation == BEFORE)
    second = np.flatnonzero(rows.operation == AFTER)
    if len(first) != len(second) or (first + 1 != second).any():
        raise _torn(rows, reading)


def _torn(rows: ChangeRows, reading: Reading) -> LogFormatError:
    images = np.flatnonzero(rows.operation >= BEFORE)
    kinds = rows.operation[images]
    wrong = images[np.flatnonzero(kinds != np.where(np.arange(len(kinds)) % 2, AFTER, BEFORE))[:1]]
    at = rows.position(int(wrong[0]) if len(wrong) else len(rows) - 1)
    return LogFormatError(
        f"{reading.instance.table}: the update at {at.commit} (change {at.change}) in cdc.{reading.instance.change_table} has "
        "only one of its two rows; take a new snapshot of the table, or have it captured anew"
    )
