"""The capture job of a database, which SQL Server Agent runs: a thread that scans the log every @pollinginterval seconds.

A scan has up to @maxscans cycles of up to @maxtrans transactions. New settings take effect when the job next starts, as
documented. Tests may pause the job and step it: a step is one scan, in the caller's thread.

Source: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-scan-transact-sql
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc.capture import Cycle
from tailrace_standins.sqlserver.cdc.jobs import CAPTURE, Job, setting
from tailrace_standins.sqlserver.cdc.scanning import Scan, Scans
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.cdc.feature import ChangeDataCapture

_LOG = logging.getLogger(__name__)
_LOCK_TIMEOUT: Final = 10_000  # ms that a cycle waits for a reader's table lock
_FAREWELL_SECONDS: Final = 10.0
_MANY: Final = 1000  # rows


class CaptureJob:
    """The job of one database.

    Attributes:
        is_paused: the thread runs, but scans nothing.
        scans: the rows of sys.dm_cdc_log_scan_sessions.

    """

    def __init__(self, feature: ChangeDataCapture, database: Database) -> None:
        self._feature = feature
        self._database = database
        self._session = feature.engine.internal_session("master")
        self._session.lock_timeout = _LOCK_TIMEOUT
        self._scanning = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._entry_at = time.monotonic()
        self._written: Counter[int] = Counter()
        self.is_paused = False
        self.scans = Scans()

    @property
    def is_running(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start the thread, unless it runs or there is no such job."""
        if self.is_running:  # first: its session would read the whole of SQLite's schema after each definition
            return
        job = setting(self._session, self._database, CAPTURE)
        if job is None:
            return
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(job, self._stopped), name=f"cdc.{self._database.name}_capture", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and wait until its scan has ended."""
        self._stopped.set()
        with self._feature.log.changed:
            self._feature.log.changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_FAREWELL_SECONDS)
            self._thread = None

    def close(self) -> None:
        """Stop the thread and close its session."""
        self.stop()
        self._session.close()

    def _run(self, job: Job, stopped: threading.Event) -> None:
        while not stopped.is_set() and self._database.is_cdc_enabled:
            if not self.is_paused and self._feature.engine.agent_running:
                try:
                    self.scan(job.maxtrans, job.maxscans)
                    self._take_over()
                except SqlError as problem:
                    _LOG.warning("the capture job of %s: %s", self._database.name, problem)
                if not job.continuous:
                    return
            if job.pollinginterval or self.is_paused or not self._feature.engine.agent_running:
                stopped.wait(job.pollinginterval or 0.05)
            else:
                self._wait_for_work(stopped)

    def _wait_for_work(self, stopped: threading.Event) -> None:
        """Wait for the next commit, which a scan follows immediately with @pollinginterval = 0."""
        log = self._feature.log
        with log.changed:
            log.changed.wait_for(
                lambda: stopped.is_set() or self.is_paused or log.waiting(self._database) > 0, timeout=1.0
            )

    def step(self) -> int:
        """One scan with the job's settings (without a job, the defaults); returns how many transactions it captured."""
        job = setting(self._session, self._database, CAPTURE)
        return self.scan(job.maxtrans, job.maxscans) if job else self.scan(500, 10)

    def scan(self, maxtrans: int, maxscans: int) -> int:
        """Run up to `maxscans` cycles; returns how many transactions were captured."""
        with self._scanning:
            scan = self.scans.begin(self._feature.engine.now())
            try:
                for _ in range(maxscans):
                    if not self._cycle(scan, maxtrans):
                        break
                self._note_idle(scan)
            except SqlError:
                scan.failed = 1
                raise
            finally:
                self.scans.end(scan, self._feature.engine.now())
            return scan.found.transactions

    def _cycle(self, scan: Scan, maxtrans: int) -> bool:
        log = self._feature.log
        entries = log.read(self._database, maxtrans)
        if not entries or not self._database.is_cdc_enabled:
            return False
        cycle = self._new_cycle()
        scan.add(entries, cycle.run(entries, lambda count: log.forget(self._database, count)))
        self._written += cycle.written
        self._entry_at = time.monotonic()
        return True

    def _take_over(self) -> None:
        """While nothing waits, convert new rows of large tables into columns, which readers would do otherwise."""
        if self._feature.engine.shortcuts is Shortcuts.OFF or self._feature.log.waiting(self._database):
            return
        written, self._written = self._written, Counter()
        for table_id, count in written.items():
            table = self._database.by_id.get(table_id)
            if table is not None and count >= _MANY:
                self._feature.columns.of(self._session, table)

    def _new_cycle(self) -> Cycle:
        feature = self._feature
        return Cycle(self._session, self._database, feature.instances, feature.log.number, feature.engine.is_kept)

    def _note_idle(self, scan: Scan) -> None:
        if not scan.found.transactions and time.monotonic() - self._entry_at >= self._feature.idle_seconds:
            self.note_idle()

    def note_idle(self) -> None:
        """Write an entry without a transaction to cdc.lsn_time_mapping."""
        self._entry_at = time.monotonic()
        if self._database.is_cdc_enabled:
            self._new_cycle().idle(self._feature.log.here(), self._feature.engine.now())
