"""Change data capture of one server: the log hook, the jobs, and the controls for tests.

    capture = install(engine)
    capture.pause("inventory")          # commits wait in the log
    capture.step("inventory")           # one scan of the log
    capture.resume("inventory")
    capture.wait("inventory")           # until all that is committed is in the change tables

Source: "About change data capture", https://learn.microsoft.com/sql/relational-databases/track-changes/about-change-data-capture-sql-server
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import disabling, jobs, log_file, refusals, restoring
from tailrace_standins.sqlserver.cdc.capture_job import CaptureJob
from tailrace_standins.sqlserver.cdc.cleanup_jobs import CleanupJobs
from tailrace_standins.sqlserver.cdc.instances import Instances
from tailrace_standins.sqlserver.cdc.transaction_log import Entry, is_change_table
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.log import LoggedTransaction, Record
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.shortcuts.change_tables.columns import ColumnStore
from tailrace_standins.sqlserver.shortcuts.switch import Shortcuts

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

IDLE_SECONDS: Final = (
    300.0  # without changes, until the capture job writes to cdc.lsn_time_mapping how far it has read
)


class ChangeDataCapture:
    """The feature, as a hook of the engine's log.

    Args:
        engine: the server whose log is read.
        automatic: whether capture jobs start when a database's first table is enabled; without it only `step` captures.
        idle_seconds: the time without changes after which an entry without a transaction is written.

    """

    def __init__(self, engine: Engine, *, automatic: bool = True, idle_seconds: float = IDLE_SECONDS) -> None:
        self.engine = engine
        self.automatic = automatic
        self.idle_seconds = idle_seconds
        self.instances = Instances()
        self.columns = ColumnStore(engine.shortcuts.least)
        self._jobs: dict[int, CaptureJob] = {}
        self._lock = threading.Lock()
        self.cleanup_jobs = CleanupJobs(self)
        self._committing: tuple[LoggedTransaction | None, dict[int, Entry]] = (None, {})
        self.log = restoring.restored_log(engine, self.instances)
        for database in self.enabled():
            self.start_job(database)

    def enabled(self) -> list[Database]:
        """The databases with change data capture enabled."""
        return [database for database in self.engine.catalog.databases.values() if database.is_cdc_enabled]

    def committing(self, connection: Connection, transaction: LoggedTransaction) -> None:
        """Write what is to be captured within the commit, so that it survives a kill."""
        entries = self.log.numbered(transaction)
        if entries:
            log_file.write(connection, entries, self.log.first_file)
        self._committing = (transaction, entries)

    def committed(self, transaction: LoggedTransaction) -> None:
        """Keep what is to be captured."""
        known, entries = self._committing
        self.log.write(transaction, entries if known is transaction else self.log.numbered(transaction))
        for table in {id(record.table): record.table for record in transaction.records}.values():
            if is_change_table(table):
                self.columns.forget(table.id)

    def allow(self, record: Record) -> None:
        """Refuse a change that a capture instance does not allow (4711, 4928, 22979, 22983)."""
        if self.is_tracked(record.database, record.table):
            refusals.check(record, self.instances.of_source(record.table.id))

    def dropping(self, session: EngineSession, database: Database) -> None:
        """Remove all change data capture of a database that is dropped, its jobs too."""
        if database.is_cdc_enabled:
            disabling.disable_db(session, database)
            self.drop_jobs(database)
            for kind in (jobs.CAPTURE, jobs.CLEANUP):
                jobs.drop(session, database, kind)

    def is_tracked(self, database: Database, table: Table) -> bool:
        """sys.tables.is_tracked_by_cdc."""
        return database.is_cdc_enabled and bool(self.instances.of_source(table.id))

    def close(self) -> None:
        """Stop all jobs; a server with a folder first captures what waits in the log."""
        for database in self.enabled() if self.engine.is_kept else []:
            while self.log.waiting(database) and self.step(database.name):
                pass
        with self._lock:
            jobs, self._jobs = list(self._jobs.values()), {}
        self.cleanup_jobs.close()
        for job in jobs:
            job.close()

    def job(self, database: Database) -> CaptureJob:
        """The capture job of a database, running or not."""
        with self._lock:
            if database.id not in self._jobs:
                self._jobs[database.id] = CaptureJob(self, database)
            return self._jobs[database.id]

    def start_job(self, database: Database) -> None:
        """Start the capture job (if `automatic`) and the nightly clean-up."""
        if self.automatic:
            self.job(database).start()
            self.cleanup_jobs.start()

    def drop_jobs(self, database: Database) -> None:
        """Stop the jobs of a database that is no longer captured."""
        with self._lock:
            job = self._jobs.pop(database.id, None)
        if job is not None:
            job.close()
        self.log.clear(database)

    def pause(self, database: str) -> None:
        """Pause the capture job until `resume`; waits for the end of a running scan."""
        job = self.job(self.engine.catalog.database(database))
        job.is_paused = True

    def resume(self, database: str) -> None:
        """Let the capture job continue."""
        self.job(self.engine.catalog.database(database)).is_paused = False
        with self.log.changed:
            self.log.changed.notify_all()

    def step(self, database: str) -> int:
        """Scan the log once; returns how many transactions were captured."""
        return self.job(self.engine.catalog.database(database)).step()

    def note_idle(self, database: str) -> None:
        """Write an entry without a transaction now."""
        self.job(self.engine.catalog.database(database)).note_idle()

    def wait(self, database: str, seconds: float = 30.0) -> None:
        """Wait until all committed changes are captured; raises `TimeoutError`."""
        found = self.engine.catalog.database(database)
        with self.log.changed:
            if not self.log.changed.wait_for(lambda: not self.log.waiting(found), timeout=seconds):
                raise TimeoutError(
                    f"{self.log.waiting(found)} transactions of {database} were not captured within {seconds} s"
                )


def install(engine: Engine, *, automatic: bool = True, idle_seconds: float = IDLE_SECONDS) -> ChangeDataCapture:
    """Add change data capture to a server: functions, procedures, views, and its capture jobs."""
    from tailrace_standins.sqlserver.cdc import functions, procedures
    from tailrace_standins.sqlserver.shortcuts.change_tables.answers import Answers

    feature = ChangeDataCapture(engine, automatic=automatic, idle_seconds=idle_seconds)
    engine.hooks.append(feature)
    functions.register(feature)
    procedures.register(feature)
    if engine.shortcuts is not Shortcuts.OFF:
        engine.system.answers.append(Answers(feature.columns))
    return feature
