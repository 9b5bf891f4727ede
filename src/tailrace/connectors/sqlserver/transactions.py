"""The transactions of a window: commit LSNs and times from cdc.lsn_time_mapping, read once for all tables.

The time of a change is the begin or the end of its transaction (`SqlServerSettings.uses_commit_time`). Both are in the
server's local time (`local_times.py`).

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-lsn-time-mapping-transact-sql
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

import numpy as np

from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.local_times import LocalTimes, microseconds
from tailrace.connectors.sqlserver.lsn import LSNS, SIZE, ZERO

_BATCH: Final = 50_000
_NTH: Final = (
    "SELECT MAX(start_lsn), COUNT(*) FROM (SELECT TOP ({0}) start_lsn FROM cdc.lsn_time_mapping "
    "WHERE start_lsn > ? AND start_lsn <= ? AND tran_id <> 0x00 ORDER BY start_lsn) AS s"
)
_HEAD: Final = "SELECT sys.fn_cdc_get_max_lsn(), DATEPART(TZOFFSET, SYSDATETIMEOFFSET())"


@dataclass(frozen=True, slots=True)
class Head:
    """The max LSN, and how many minutes the server's clock is ahead of UTC."""

    lsn: Lsn
    offset_minutes: int


def head(session: Session) -> Head:
    """The current max LSN, with the clock's offset."""
    ((lsn, offset),) = session.rows(_HEAD)
    return Head(LSNS.of(lsn) if lsn else ZERO, int(offset))


def transactions(session: Session, window: Window, at_most: int, times: LocalTimes, *, ends: bool) -> Transactions:
    """The first transactions of a window, without those that have no changes (`tran_id` 0x00), which only mark time.

    Args:
        session: in the database.
        window: of its log.
        at_most: the greatest number of transactions.
        times: converts the server's local times to UTC.
        ends: whether the transactions' end times are used, instead of their begin times.

    """
    sql = (
        f"SELECT TOP ({at_most}) start_lsn, tran_begin_time, tran_end_time FROM cdc.lsn_time_mapping "  # noqa: S608 -- ours
        "WHERE start_lsn > ? AND start_lsn <= ? AND tran_id <> 0x00 ORDER BY start_lsn"
    )
    nothing = np.empty(0, np.int64)
    commits, shown = [np.empty((0, SIZE), np.uint8)], [(nothing, nothing)]
    for batch in session.batches(sql, window.after.raw, window.until.raw, rows=_BATCH):
        commits.append(lsn_columns.raw_of(batch.column(0), "start_lsn", SIZE))
        shown.append((microseconds(batch.column(1)), microseconds(batch.column(2))))
    begun, ended = (np.concatenate(each) for each in zip(*shown, strict=True))
    commit = np.concatenate(commits)
    return Transactions(commit, times.utc(session, commit, begun, ended)[1 if ends else 0], ended, _unknown)


def _unknown(lsn: Lsn) -> str:
    return (
        f"cdc.lsn_time_mapping does not know the transaction {lsn}, whose changes are in a change table: the clean-up "
        "job has overtaken the connector; let it keep changes for longer (EXEC sys.sp_cdc_change_job 'cleanup', "
        "@retention = minutes) and take a new snapshot"
    )


def count_transactions(session: Session, window: Window) -> int:
    """The number of transactions in a window that have changes, of rows or of structure."""
    sql = "SELECT COUNT(*) FROM cdc.lsn_time_mapping WHERE start_lsn > ? AND start_lsn <= ? AND tran_id <> 0x00"
    return int(session.one(sql, window.after.raw, window.until.raw))


def reaches_back_to(session: Session, lsn: Lsn) -> bool:
    """Whether all transactions after an LSN are still in cdc.lsn_time_mapping."""
    return session.one("SELECT TOP (1) 1 FROM cdc.lsn_time_mapping WHERE start_lsn <= ?", lsn.raw) is not None


def nth_transaction(session: Session, window: Window, number: int) -> tuple[Lsn, bool]:
    """The commit LSN of the transaction with this number in a window; if it has no more, its end, and True."""
    ((lsn, count),) = session.rows(_NTH.format(number), window.after.raw, window.until.raw)
    if lsn is None or count < number:
        return window.until, True
    return LSNS.of(lsn), False


def newest_commit(session: Session, lsn: Lsn) -> dt.datetime | None:
    """The end time of the newest transaction up to an LSN, in the server's local time; None if there is none."""
    found: dt.datetime | None = session.one(
        "SELECT MAX(tran_end_time) FROM cdc.lsn_time_mapping WHERE start_lsn <= ?", lsn.raw
    )
    return found


def end_time(session: Session, lsn: Lsn) -> dt.datetime | None:
    """The end time of the last transaction up to an LSN, in the server's local time; None if there is none."""
    found: dt.datetime | None = session.one(
        "SELECT TOP (1) tran_end_time FROM cdc.lsn_time_mapping WHERE start_lsn <= ? ORDER BY start_lsn DESC", lsn.raw
    )
    return found


def newest(session: Session, lsn: Lsn) -> Landmark | None:
    """The newest transaction with changes up to an LSN; None if there is none, or none is left."""
    sql = (
        "SELECT TOP (1) start_lsn, tran_end_time FROM cdc.lsn_time_mapping WHERE start_lsn <= ? AND tran_id <> 0x00 "
        "ORDER BY start_lsn DESC"
    )
    # In batches, as `transactions` reads them, so that the driver does not round the times in another way.
    for batch in list(session.batches(sql, lsn.raw, rows=1)):
        commit = lsn_columns.raw_of(batch.column(0), "start_lsn", SIZE)
        return Landmark(lsn_columns.lsn_at(commit, 0), int(microseconds(batch.column(1))[0]))
    return None
