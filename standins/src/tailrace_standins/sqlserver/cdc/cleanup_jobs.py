"""The clean-up jobs, which SQL Server Agent runs for each database every night at two o'clock.

Source: "Administer and monitor change data capture",
https://learn.microsoft.com/sql/relational-databases/track-changes/administer-and-monitor-change-data-capture-sql-server
"""

from __future__ import annotations

import datetime as dt
import logging
import threading
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import cleanup, jobs
from tailrace_standins.sqlserver.session import SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture

_LOG = logging.getLogger(__name__)
_HOUR: Final = 2  # of the server's time, which is UTC
_EVERY: Final = 60.0  # seconds between two looks at the clock
_FAREWELL_SECONDS: Final = 10.0


class CleanupJobs:
    """The clean-up jobs of all databases, on one thread that starts with the first."""

    def __init__(self, feature: ChangeDataCapture) -> None:
        self._feature = feature
        self._due = _next_night(feature.engine.now())
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="cdc clean-up", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the thread and wait until a running clean-up has ended."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(_FAREWELL_SECONDS)

    def run_due(self) -> bool:
        """Clean all databases if it is time; returns whether it was."""
        now = self._feature.engine.now()
        if now < self._due or not self._feature.engine.agent_running:
            return False
        self._due = _next_night(now)
        session = self._feature.engine.internal_session("master")
        try:
            for database in self._feature.enabled():
                if jobs.setting(session, database, jobs.CLEANUP) is not None:
                    cleanup.clean_database(session, database, self._feature.columns)
        finally:
            session.close()
        return True

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY):
            try:
                self.run_due()
            except SqlError as problem:
                _LOG.warning("a clean-up job: %s", problem)


def _next_night(now: str) -> str:
    """The jobs' next run after `now`; both in the stored form of datetime2(7)."""
    moment = dt.datetime.fromisoformat(now[:26])
    night = moment.replace(hour=_HOUR, minute=0, second=0, microsecond=0)
    if night <= moment:
        night += dt.timedelta(days=1)
    return night.strftime("%Y-%m-%d %H:%M:%S.%f") + "0"
