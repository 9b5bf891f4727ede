"""Proof that the capture job has passed a time: everything committed before it is in the change tables.

The max LSN proves nothing: it stands still if nothing is committed, and also if nothing is captured. There are two
proofs:

- A log scan that began after the time and found nothing, so that it has reached the end of the log.
  `sys.dm_cdc_log_scan_sessions` has a row for each scan; consecutive scans that find nothing share one row, which counts
  them. If a row's count grows by two, the second scan began after the time, because it began when the first one had ended.
  A scan with transactions may have ended at the job's limit, which only the job itself knows: `sp_cdc_change_job` changes
  what is configured, and the job has it after it has restarted. A failed scan proves nothing, whatever it has counted.
- An entry of `cdc.lsn_time_mapping` with a commit time after the time, because transactions are captured in commit
  order. The times are the server's own. An entry that is later by less than `CLOCK_SECONDS` proves nothing, because
  simultaneous commits may be numbered in another order. If nothing changes, such an entry comes every five minutes.

Of three scans after the time one proves it: the third has transactions that were committed after the first, or finds nothing.

Only the second proof works for a user who may not see the view (VIEW DATABASE STATE; since SQL Server 2022 VIEW
DATABASE PERFORMANCE STATE), and on a replica, where no job scans. The same holds for a database of an availability
group: there a scan stops at what all replicas have, and finds nothing although more is committed.

Source:
https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/change-data-capture-sys-dm-cdc-log-scan-sessions,
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
REPLICA_CLOCK_SECONDS: Final = 10.0  # the clocks of two servers may differ
GRAIN: Final = dt.timedelta(milliseconds=10)  # the view has datetime values, rounded to 3.33 ms
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
    "SELECT session_id, start_time, end_time, empty_scan_count FROM sys.dm_cdc_log_scan_sessions "
    "WHERE session_id >= ? AND session_id > 0 AND error_count = 0 ORDER BY session_id"
)
_NEWEST_COMMIT: Final = "SELECT TOP (1) tran_end_time FROM cdc.lsn_time_mapping ORDER BY start_lsn DESC"
_JOB: Final = (
    "SELECT pollinginterval FROM msdb.dbo.cdc_jobs WHERE database_id = DB_ID() AND job_type = N'capture'"
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerTime:
    """A time on the server.

    Attributes:
        time: the server's local time.
        scan: the newest scan session in the view then; 0: there is none; None: it could not be seen, and scans prove nothing.
        empty: how many scans without changes that row had counted.

    """

    time: dt.datetime
    scan: int | None = None
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """A row of the view: one scan, or several that found nothing, which `empty` counts. `ended` is None while it runs."""

    id: int
    started: dt.datetime
    ended: dt.datetime | None
    empty: int


def is_proven_by_scans(moment: ServerTime, scans: Sequence[Scan]) -> bool:
    """Whether one of these scans, in order, began after a time and found nothing."""
    behind = 0  # rows of scans that ended after the time
    for scan in scans:
        if scan.ended is None:
            continue
        # Of the row that was the newest at that time, only the scans count that were added since.
        counted = scan.empty - (moment.empty if scan.id == moment.scan else 0)
        if scan.id == moment.scan:
            if counted >= 2 or (counted == 1 and scan.started > moment.time + GRAIN):
                return True
            behind += counted > 0
            continue
        began_behind = behind > 0 or scan.started > moment.time + GRAIN
        if (began_behind and scan.empty > 0) or scan.empty >= 2:
            return True
        behind += 1
    return False


class CaptureJob:
    """The capture job of one database, as far as it can be observed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._polling = USUAL_POLLING_SECONDS
        self._sees_scans = not session.is_read_only and session.one(_GROUP) is None
        self._ask_polling()

    def now(self) -> ServerTime:
        """The current time; call it after the read that it is to prove something about."""
        newest = self._scans(_NEWEST_SCAN)
        moment = self._session.one(_NOW)  # after the newest scan, or a scan in between would be missed
        return ServerTime(moment) if newest is None else ServerTime(moment, *(map(int, newest[0]) if newest else (0,)))

    def wait_until_passed(self, moment: ServerTime) -> Iterator[None]:
        """Wait until the job has passed a time, in steps that the caller makes as long as it wants.

        Raises:
            RetriableError: the job does not pass it in time.

        """
        deadline = time.monotonic() + self.patience
        while not self.has_passed(moment):
            if time.monotonic() >= deadline:
                raise RetriableError(
                    f"{self.stuck(moment, self.patience)} What a snapshot read by then can't be told from what came later. Or "
                    "take it in one of Debezium's ways, with snapshot.isolation.mode, which does not need the job"
                )
            yield

    def has_passed(self, moment: ServerTime) -> bool:
        """Whether everything committed before a time is in the change tables."""
        scans = None if moment.scan is None else self._scans(_SCANS, moment.scan)
        if scans is not None and is_proven_by_scans(moment, [_scan(row) for row in scans]):
            return True
        newest: dt.datetime | None = self._session.one(_NEWEST_COMMIT)
        slack = dt.timedelta(seconds=REPLICA_CLOCK_SECONDS if self._session.is_read_only else CLOCK_SECONDS)
        if newest is None or newest <= moment.time + slack:
            return False
        now: dt.datetime = self._session.one(_NOW)
        return newest <= now + slack  # a later one is from before the clock was set back, as in autumn

    @property
    def patience(self) -> float:
        """The longest wait, in seconds."""
        return max(PATIENCE_SECONDS, 4.0 * self._polling) if self._sees_scans else WITHOUT_SCANS_SECONDS

    def _scans(self, sql: str, *params: int) -> list[tuple[Any, ...]] | None:
        """Rows of the view; None: it can't be seen, or proves nothing."""
        if not self._sees_scans:
            return None
        try:
            return self._session.rows(sql, *params)
        except SourceSetupError as error:
            self._sees_scans = False
            log.warning(
                "the scans of the capture job can't be seen in %s, so the snapshot waits for commits that prove what was "
                "captured, up to five minutes a time where nothing is committed. GRANT VIEW DATABASE STATE (since SQL "
                "Server 2022: VIEW DATABASE PERFORMANCE STATE) TO the connector's user mends that: %s",
                self._session.database,
                error,
            )
            return None

    def _ask_polling(self) -> None:
        try:
            found = self._session.rows(_JOB)
        except SourceSetupError as error:
            log.info("how often the capture job of %s scans can't be seen: %s", self._session.database, error)
            return
        if found:
            self._polling = int(found[0][0])

    def stuck(self, moment: ServerTime, seconds: float) -> str:
        """The message if the job has not passed a time for so long."""
        return (
            f"the capture job of {self._session.database} has not passed {moment.time} after {seconds:g} s. Is SQL Server "
            f"Agent running, and the job cdc.{self._session.database}_capture?"
        )


def _scan(row: tuple[Any, ...]) -> Scan:
    number, started, ended, empty = row
    return Scan(int(number), started, ended, int(empty or 0))
