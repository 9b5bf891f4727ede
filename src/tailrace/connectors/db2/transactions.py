"""The transactions of a window: commit LSNs and times from IBMSNAP_UOW, read once for all tables.

Its row is there for each transaction that is in any change table; IBMSNAP_LOGMARKER is when it was committed, in the server's
local time.

Source: IBM Db2 documentation, "IBMSNAP_UOW table" (SQL Replication)
"""

# ruff: noqa: S608 -- names are quoted, values are parameters
from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

import numpy as np

from tailrace.connectors.change_tables.database_log import ALL
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.lsn_columns import lsn_at
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2.catalog import asked, control, sql_of
from tailrace.connectors.db2.connection import Session
from tailrace.connectors.db2.lsn import form_of, lsn_of, raw_of
from tailrace.connectors.db2.server_times import MINUTE_US, OFFSET, clock_column, clock_us, minutes_of, utc_us
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.errors import SourceSetupError

SECOND_US: Final = 1_000_000
_LONGEST_MARGIN_US: Final = 2 * 3600 * SECOND_US  # clocks that are changed, and a pruning that takes its time
_RETENTION_MINUTES: Final = 10_080  # RETENTION_LIMIT where none is set


@dataclass(frozen=True, slots=True)
class Head:
    """How far the log is captured.

    Attributes:
        lsn: the greatest synchpoint.
        synchtime_us: up to which commits are captured (SYNCHTIME), microseconds since the epoch; None: nothing is yet.
        now_us: the server's clock.
        offset_minutes: how far it is ahead of UTC.

    """

    lsn: Lsn
    synchtime_us: int | None
    now_us: int
    offset_minutes: int


def head(session: Session, settings: Db2Settings) -> Head:
    """The greatest synchpoint now, as Debezium takes it; read WITH CS, as an uncommitted one would be ahead of the rows."""
    sql = (
        "SELECT MAX(r.CD_NEW_SYNCHPOINT), MAX(r.SYNCHPOINT), MAX(CASE WHEN r.GLOBAL_RECORD = 'Y' THEN r.SYNCHTIME END), "
        f"MAX(CURRENT TIMESTAMP), MAX({OFFSET}) FROM {control(settings, 'IBMSNAP_REGISTER')} AS r WITH CS"
    )
    ((of_tables, of_all, synchtime, now, offset),) = session.raw_rows(sql)
    session.commit()
    form, minutes = form_of(settings), minutes_of(offset or 0)
    return Head(
        max(lsn_of(of_tables, form), lsn_of(of_all, form)),
        None if synchtime is None else utc_us(synchtime, minutes),
        utc_us(now, minutes) if now is not None else 0,
        minutes,
    )


def transactions(
    session: Session, settings: Db2Settings, window: Window, at_most: int, offset_minutes: int
) -> Transactions:
    """The first transactions of a window; `offset_minutes`: how far the server's clock is ahead of UTC."""
    size = form_of(settings).size
    commits, clocks = [np.empty((0, size), np.uint8)], [np.empty(0, np.int64)]
    sql = (
        f"SELECT IBMSNAP_COMMITSEQ, IBMSNAP_LOGMARKER {_in(settings)} ORDER BY IBMSNAP_COMMITSEQ "
        f"FETCH FIRST {at_most} ROWS ONLY FOR READ ONLY"
    )
    for batch in session.batches(sql, window.after.raw, window.until.raw):
        commits.append(raw_of(batch.column(0), "IBMSNAP_COMMITSEQ", size))
        clocks.append(clock_column(batch.column(1)))
    clock = np.concatenate(clocks)
    found = Transactions(np.concatenate(commits), clock - offset_minutes * MINUTE_US, clock, _unknown)
    return found if at_most >= ALL else _within_span(found, settings)  # a window that was begun keeps its end


def _within_span(found: Transactions, settings: Db2Settings) -> Transactions:
    """Those that were committed within `streaming.query.timespan.seconds` of the first."""
    seconds = settings.streaming_query_timespan_seconds
    if not seconds or not len(found):
        return found
    behind = np.flatnonzero(found.time_us > found.time_us[0] + seconds * SECOND_US)
    if not len(behind):
        return found
    end = int(behind[0])
    return Transactions(found.commit[:end], found.time_us[:end], found.clock_us[:end], found.unknown, is_whole=False)


def _unknown(lsn: Lsn) -> str:
    return (
        f"IBMSNAP_UOW does not know the transaction {lsn}, whose changes are in a change table: pruning has overtaken the "
        "connector; let it keep changes for longer (RETENTION_LIMIT of IBMSNAP_CAPPARMS) and take a new snapshot"
    )


def count_transactions(session: Session, settings: Db2Settings, window: Window) -> int:
    """The number of transactions in a window."""
    return int(session.one(f"SELECT COUNT(*) {_in(settings)}", window.after.raw, window.until.raw))


def reaches_back_to(session: Session, settings: Db2Settings, lsn: Lsn) -> bool:
    """Whether IBMSNAP_UOW has a transaction up to an LSN, or the very next one: then pruning has not passed it."""
    sql = f"SELECT 1 FROM {control(settings, 'IBMSNAP_UOW')} WHERE IBMSNAP_COMMITSEQ <= ? FETCH FIRST 1 ROW ONLY"
    return session.one(sql, lsn.next().raw) is not None


def nth_transaction(session: Session, settings: Db2Settings, window: Window, number: int) -> Lsn | None:
    """The commit LSN of the transaction with this number in a window; None if it has no more."""
    sql = (
        f"SELECT IBMSNAP_COMMITSEQ {_in(settings)} ORDER BY IBMSNAP_COMMITSEQ OFFSET {number - 1} ROWS FETCH FIRST 1 ROW ONLY"
    )
    found = session.raw_rows(sql, window.after.raw, window.until.raw)
    return lsn_of(found[0][0], form_of(settings)) if found else None


def newest_commit(session: Session, settings: Db2Settings, lsn: Lsn) -> dt.datetime | None:
    """The time of the newest transaction up to an LSN, in the server's local time; None if there is none."""
    sql = f"SELECT MAX(IBMSNAP_LOGMARKER) FROM {control(settings, 'IBMSNAP_UOW')} WHERE IBMSNAP_COMMITSEQ <= ?"
    found: dt.datetime | None = session.one(sql, lsn.raw)
    return found


def landmark(session: Session, settings: Db2Settings, lsn: Lsn) -> Landmark:
    """The newest row of IBMSNAP_UOW up to an LSN, and when that table was made."""
    created = session.one(asked(settings, sql_of(settings).made))
    if created is None:
        raise SourceSetupError(
            f"{control(settings, 'IBMSNAP_UOW')} is not in the catalogue of {session.database}: is cdc.control.schema right?"
        )
    made, kept = clock_us(created), retention_us(session, settings)
    sql = (
        f"SELECT IBMSNAP_COMMITSEQ, IBMSNAP_LOGMARKER FROM {control(settings, 'IBMSNAP_UOW')} WHERE IBMSNAP_COMMITSEQ <= ? "
        "ORDER BY IBMSNAP_COMMITSEQ DESC FETCH FIRST 1 ROW ONLY"
    )
    for batch in list(session.batches(sql, lsn.raw)):
        commit = raw_of(batch.column(0), "IBMSNAP_COMMITSEQ", form_of(settings).size)
        return Landmark(lsn_at(commit, 0), int(clock_column(batch.column(1))[0]), made, kept)
    return Landmark(None, list_us=made, kept_us=kept)


def retention_us(session: Session, settings: Db2Settings) -> int:
    """How long rows are kept at least that nobody else has taken (RETENTION_LIMIT), in microseconds."""
    found = session.one(f"SELECT MIN(RETENTION_LIMIT) FROM {control(settings, 'IBMSNAP_CAPPARMS')}")
    return (int(found) if found is not None else _RETENTION_MINUTES) * 60 * SECOND_US


def kept_from_us(now: Head, retention_us: int) -> int:
    """The time from which on nothing can have been pruned for its age, microseconds since the epoch."""
    return now.now_us - retention_us + min(_LONGEST_MARGIN_US, retention_us // 2)


def may_be_pruned(session: Session, settings: Db2Settings, landmark: Landmark) -> bool:
    """Whether pruning may have taken a transaction: it is older than RETENTION_LIMIT, or subscriptions of Apply have begun.

    Else a cold start of the Capture program has taken it, or somebody by hand.
    """
    if landmark.kept_us == 0:
        return True  # that was so before
    now, kept_us = head(session, settings), retention_us(session, settings)
    if landmark.kept_us is not None:  # it may have gone before the limit was raised
        kept_us = min(kept_us, landmark.kept_us)
    committed_us = landmark.clock_us - now.offset_minutes * MINUTE_US
    if committed_us <= kept_from_us(now, kept_us):
        return True
    try:
        sets = session.rows(f"SELECT HEX(SYNCHPOINT) FROM {control(settings, 'IBMSNAP_PRUNE_SET')}")
    except SourceSetupError:  # who may not see that can't be sure
        session.rollback()
        return True
    return any(synchpoint.strip("0") for (synchpoint,) in sets)


def _in(settings: Db2Settings) -> str:
    return f"FROM {control(settings, 'IBMSNAP_UOW')} WHERE IBMSNAP_COMMITSEQ > ? AND IBMSNAP_COMMITSEQ <= ?"
