"""Proof that the capture job has passed a moment: all that was committed before it is in the change tables.

The newest captured LSN says nothing of that: it stands still as well when nothing is committed as when nothing is captured.
What says it:

- A scan of the log that began behind the moment and came to the log's end. `sys.dm_cdc_log_scan_sessions` has a row for each
  scan; such ones that found nothing, one after the other, are one row that counts them. When a row is counted up twice, the
  second scan began behind the moment, as it began when the first had ended. A scan that found nothing came to the log's end,
  and so did one that took fewer transactions than the job lets one cycle take (`maxtrans`): whether a row is one cycle or all
  `maxscans` of them is not told. One that failed proves nothing, whatever it had counted by then.
- An entry of `cdc.lsn_time_mapping` with a commit time behind the moment, as transactions are captured in the order of their
  commits. The times are the server's own, and one that is not later by `CLOCK_SECONDS` proves nothing: commits that are made at
  once may be numbered in another order. Where nothing changes, such an entry comes every five minutes.

Who may not see the view (VIEW DATABASE STATE; since SQL Server 2022 VIEW DATABASE PERFORMANCE STATE), or reads a replica, where
no job scans, has the second proof alone. So has a database of an availability group: there a scan goes no further than what
all replicas have, and finds nothing although more is committed.

Source: https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/change-data-capture-sys-dm-cdc-log-scan-sessions,
https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-lsn-time-mapping-transact-sql
and, of availability groups,
https://learn.microsoft.com/sql/database-engine/availability-groups/windows/replicate-track-change-data-capture-always-on-availability
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.sqlserver.connection import Session
from tailrace.errors import RetriableError, SourceSetupError

CLOCK_SECONDS: Final = 1.0
REPLICA_CLOCK_SECONDS: Final = 10.0  # two servers' clocks
GRAIN: Final = dt.timedelta(milliseconds=10)  # datetime counts 3.33 ms, and rounds
PATIENCE_SECONDS: Final = 120.0
WITHOUT_SCANS_SECONDS: Final = 900.0
USUAL_POLLING_SECONDS: Final = 5

_NOW: Final = "SELECT SYSDATETIME()"
_GROUP: Final = "SELECT group_database_id FROM sys.databases WHERE name = DB_NAME()"
_NEWEST_SCAN: Final = (
    "SELECT TOP (1) session_id, empty_scan_count FROM sys.dm_cdc_log_scan_sessions WHERE session_id > 0 "
    "ORDER BY session_id DESC"
)
_SCANS: Final = (
    "SELECT session_id, start_time, end_time, tran_count, empty_scan_count FROM sys.dm_cdc_log_scan_sessions "
    "WHERE session_id >= ? AND session_id > 0 AND error_count = 0 ORDER BY session_id"
)
_NEWEST_COMMIT: Final = "SELECT TOP (1) tran_end_time FROM cdc.lsn_time_mapping ORDER BY start_lsn DESC"
_JOB: Final = (
    "SELECT maxtrans, pollinginterval FROM msdb.dbo.cdc_jobs WHERE database_id = DB_ID() AND job_type = N'capture'"
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a server.

    Attributes:
        time: the server's clock, its local time.
        scan: the newest scan session that the view had then; 0: none, or it can't be seen.
        empty: how many scans without changes that row counted.

    """

    time: dt.datetime
    scan: int = 0
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A row of the view: one scan, or several that found nothing. `ended` is None while it is under way."""

    id: int
    started: dt.datetime
    ended: dt.datetime | None
    transactions: int
    empty: int


def is_proven_by_scans(moment: Moment, scans: Sequence[Scan], most: int | None) -> bool:
    """Whether one of these scans, in their order, began behind a moment and came to the log's end.

    `most`: a scan of fewer transactions came to the end; None: that is not known, and only one that found none did.
    """
    behind = 0  # rows of scans that ended behind the moment
    for scan in scans:
        if scan.ended is None:
            continue
        counted = scan.empty - (moment.empty if scan.id == moment.scan else 0)
        if scan.id == moment.scan:
            if counted >= 2 or (counted == 1 and scan.started > moment.time + GRAIN):
                return True
            behind += counted > 0
            continue
        began_behind = behind > 0 or scan.started > moment.time + GRAIN
        came_to_end = scan.empty > 0 or (most is not None and scan.transactions < most)
        if (began_behind and came_to_end) or scan.empty >= 2:
            return True
        behind += 1
    return False


class CaptureJob:
    """Who captures one database's changes, as far as can be seen."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._most: int | None = None
        self._polling = USUAL_POLLING_SECONDS
        self._sees_scans = not session.is_read_only and session.one(_GROUP) is None
        self._ask_settings()

    def now(self) -> Moment:
        """A moment of now; to be asked for when what is to be proven of has been read."""
        if self._sees_scans:
            try:
                newest = self._session.rows(_NEWEST_SCAN)
                moment = self._session.one(_NOW)  # behind the newest scan, so that what comes between is not missed
                return Moment(moment, *(map(int, newest[0]) if newest else ()))
            except SourceSetupError as error:
                self._sees_scans = False
                log.warning(
                    "the scans of the capture job can't be seen in %s, so the snapshot waits for commits that prove what was "
                    "captured, up to five minutes a time where nothing is committed. GRANT VIEW DATABASE STATE (since SQL "
                    "Server 2022: VIEW DATABASE PERFORMANCE STATE) TO the connector's user mends that: %s",
                    self._session.database,
                    error,
                )
        return Moment(self._session.one(_NOW))

    def passing(self, moment: Moment) -> Iterator[None]:
        """Steps of waiting until the job has passed a moment, which the caller makes as long as he likes; at the end it has.

        Raises:
            RetriableError: it does not come there.

        """
        deadline = time.monotonic() + self.patience
        while not self.has_passed(moment):
            if time.monotonic() >= deadline:
                raise RetriableError(
                    f"{self.stuck(moment, self.patience)} What a snapshot read by then can't be told from what came later. Or "
                    "take it in one of Debezium's ways, with snapshot.isolation.mode, which does not need the job"
                )
            yield

    def has_passed(self, moment: Moment) -> bool:
        """Whether all that was committed before a moment is in the change tables."""
        if self._sees_scans:
            scans = [_scan(row) for row in self._session.rows(_SCANS, moment.scan)]
            if is_proven_by_scans(moment, scans, self._most):
                return True
        newest: dt.datetime | None = self._session.one(_NEWEST_COMMIT)
        slack = dt.timedelta(seconds=REPLICA_CLOCK_SECONDS if self._session.is_read_only else CLOCK_SECONDS)
        if newest is None or newest <= moment.time + slack:
            return False
        now: dt.datetime = self._session.one(_NOW)
        return newest <= now + slack  # else the clock was put back, as in autumn, and the time is that of long before

    @property
    def patience(self) -> float:
        """For how long it is waited for at most, seconds."""
        return max(PATIENCE_SECONDS, 4.0 * self._polling) if self._sees_scans else WITHOUT_SCANS_SECONDS

    def _ask_settings(self) -> None:
        try:
            found = self._session.rows(_JOB)
        except SourceSetupError as error:
            log.info("the settings of the capture job of %s can't be seen: %s", self._session.database, error)
            return
        if found:
            self._most, self._polling = map(int, found[0])

    def stuck(self, moment: Moment, seconds: float) -> str:
        """What to say where the job has not come to a moment for so long."""
        return (
            f"the capture job of {self._session.database} has not passed {moment.time} after {seconds:g} s. Is SQL Server "
            f"Agent running, and the job cdc.{self._session.database}_capture?"
        )


def _scan(row: tuple[Any, ...]) -> Scan:
    number, started, ended, transactions, empty = row
    return Scan(int(number), started, ended, int(transactions or 0), int(empty or 0))
