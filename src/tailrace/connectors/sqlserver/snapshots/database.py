"""One database that a lane reads tables of: its sessions, how far its log is read, and who captures it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, INSERT
from tailrace.connectors.change_tables.snapshots.moments import Moments
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.replicas import connect_at, wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import views
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.passed import CaptureJob
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTables
from tailrace.connectors.sqlserver.snapshots.views import TableView
from tailrace.schema.tables import TableId

LOCKS: Final = "READCOMMITTEDLOCK"
_VERSIONS: Final = "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE database_id = DB_ID()"


class Database:
    """Opened at P.

    Attributes:
        asking: a session for questions.
        tables: what is read.
        job: who captures changes.
        reached: up to where the log is read.
        hint: what makes a read wait for locks.
        view: the last one that was opened.
        moments: behind chunks that were read.
        chosen: the tables of which rows of the user's own choice are read, where a change wins over the row.

    """

    def __init__(
        self,
        settings: SqlServerSettings,
        name: str,
        point: Lsn,
        keys: Mapping[TableId, ChunkKey | None],
        lock_ms: int,
        patience: float | None = None,
    ) -> None:
        """`lock_ms`: for how long reads wait for a lock; -1 for ever. `patience`: with a replica, see `wait_for`."""
        self._settings = settings
        self._lock_ms = lock_ms
        self._name = name
        self._keys = keys
        self._reading: Session | None = None
        self._locking: Session | None = None
        self.view: TableView | None = None
        self.chosen: Collection[TableId] = ()
        self._patience = patience
        self.asking = connect_at(settings, name, point, patience)
        self.reached = self._point = point
        try:
            self.tables = ReadTables(settings, self.asking, point, keys)
            self.job = CaptureJob(self.asking)
            self.moments = Moments(self.job)
            has_versions = bool(self.asking.one(_VERSIONS)) and not self.asking.is_read_only
        except BaseException:
            self.asking.close()
            raise
        self.hint = LOCKS if has_versions else ""

    def reading(self) -> Session:
        """A session for rows, which does not wait for locks for ever, and gives way in a deadlock."""
        if self._reading is None:
            self._reading = connect_at(self._settings, self._name, self._point, self._patience)
            self._reading.execute(f"SET LOCK_TIMEOUT {self._lock_ms}")
            self._reading.execute("SET DEADLOCK_PRIORITY LOW")
        return self._reading

    def wait_for_locks(self) -> None:
        """What is read next waits for locks without a hint, as a statement of the user's own is read."""
        if self.hint:
            self.reading().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

    def locking(self) -> Session:
        """A session for locks on tables."""
        if self._locking is None:
            self._locking = connect(self._settings, self._name)
            self._locking.execute(f"SET LOCK_TIMEOUT {self._settings.snapshot_lock_timeout_ms}")
        return self._locking

    def head(self, *, of_view: bool) -> Lsn:
        """How far the log is captured now, or where the open view is; not before where it is read up to."""
        if of_view and self.view is not None:
            return views.place_at(self.asking, self.view.middle, self.reached)
        return max(catalog.max_lsn(self.asking), self.reached)

    def unheard_of(self, table: TableId) -> tuple[int, ...]:
        """Operations on a table that nobody is told of, and that therefore win over no row that was read."""
        skipped = self._settings.skipped_operations if table in self.chosen else frozenset()
        return (*((INSERT,) if "c" in skipped else ()), *((BEFORE, AFTER) if "u" in skipped else ()))

    def move(self, point: Lsn) -> None:
        """Stand at another position, which all sessions see."""
        for session in (self.asking, self._reading):
            if session is not None:
                wait_for(session, point, self._patience)
        self.reached = self._point = point
        self.tables = ReadTables(self._settings, self.asking, point, self._keys)

    def forget_reading(self) -> None:
        """Begin with another session next time."""
        if self._reading is not None:
            self._reading.close()
        self._reading = None

    def close(self) -> None:
        """Let go of the server."""
        self.forget_reading()
        if self._locking is not None:
            self._locking.close()
        self.asking.close()
