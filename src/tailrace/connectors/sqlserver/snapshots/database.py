"""One database with tables that a lane reads: its sessions, how far its log is read, and its capture job."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.rows import AFTER, BEFORE, INSERT, ChangeRows
from tailrace.connectors.change_tables.same_log import require_landmark
from tailrace.connectors.change_tables.snapshots.begun import Begun
from tailrace.connectors.change_tables.snapshots.blocks import BLOCK_ROWS
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.sqlserver import catalog, replicas, tables_with_changes, transactions
from tailrace.connectors.sqlserver.change_tables import rows_of
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.replicas import connect_at, wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import statements, views
from tailrace.connectors.sqlserver.snapshots.capture_progress import CaptureJob
from tailrace.connectors.sqlserver.snapshots.incomplete_images import Mask
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable, read_tables
from tailrace.connectors.sqlserver.snapshots.views import TableView
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

CHANGES_AT_ONCE: Final = 1 << 15
LOCKS: Final = "READCOMMITTEDLOCK"
_NTH: Final = (
    "SELECT MAX(start_lsn) FROM (SELECT TOP ({0}) start_lsn FROM cdc.lsn_time_mapping WHERE start_lsn > ? AND start_lsn <= ? "
    "ORDER BY start_lsn) AS s"
)
_VERSIONS: Final = "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE database_id = DB_ID()"


class Database:
    """A database, opened at P.

    Attributes:
        asking: the session for queries about tables.
        tables: that are read.
        job: the capture job.
        reached: up to where the log is read.
        hint: makes reads wait for locks.
        view: the view that was opened last.
        read_times: the times noted after chunks.
        chosen: the tables whose rows the user selects: a change takes precedence over a row that was read.

    """

    def __init__(
        self,
        settings: SqlServerSettings,
        name: str,
        point: Lsn,
        keys: Mapping[TableId, ChunkKey | None],
        lock_ms: int,
        patience: float | None = None,
        begun: Begun | None = None,
    ) -> None:
        """A database that is opened now.

        Args:
            settings: of the connector.
            name: of the database.
            point: P.
            keys: of the tables that are read; None for a table without a key.
            lock_ms: how long reads wait for a lock; -1: without limit.
            patience: for a replica, see `wait_for`.
            begun: with what the tables were told.

        """
        self._settings = settings
        self._lock_ms = lock_ms
        self._name = name
        self._keys = keys
        self._begun = begun
        self._reading: Session | None = None
        self._locking: Session | None = None
        self.view: TableView | None = None
        self.chosen: Collection[TableId] = ()
        self._patience = patience
        self.asking = connect_at(settings, name, point, patience)
        self.reached = self._point = point
        try:
            self.tables = read_tables(settings, self.asking, point, keys, begun)
            self.job = CaptureJob(self.asking)
            self.read_times = ReadTimes(self.job)
            has_versions = bool(self.asking.one(_VERSIONS)) and not self.asking.is_read_only
        except BaseException:
            self.asking.close()
            raise
        # With READ_COMMITTED_SNAPSHOT a read would see row versions, which may lack a commit that is in the log
        # already.
        self.hint = LOCKS if has_versions else ""

    def reading(self) -> Session:
        """The session for rows, with a lock timeout; in a deadlock it is the victim."""
        if self._reading is None:
            self._reading = connect_at(self._settings, self._name, self._point, self._patience)
            self._reading.execute(f"SET LOCK_TIMEOUT {self._lock_ms}")
            # In a deadlock the application's transaction should survive: a read can be tried again.
            self._reading.execute("SET DEADLOCK_PRIORITY LOW")
        return self._reading

    def wait_for_locks(self) -> None:
        """Make the next read wait for locks without a table hint, which can't be put into a statement of the user."""
        if self.hint:
            self.reading().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

    def locking(self) -> Session:
        """The session for locks on tables."""
        if self._locking is None:
            self._locking = connect(self._settings, self._name)
            self._locking.execute(f"SET LOCK_TIMEOUT {self._settings.snapshot_lock_timeout_ms}")
        return self._locking

    def captured_up_to(self) -> Lsn:
        """The current max LSN."""
        return catalog.max_lsn(self.asking)

    def landmark(self, lsn: Lsn) -> Landmark | None:
        """The newest transaction with changes up to an LSN, in cdc.lsn_time_mapping."""
        return transactions.newest(self.asking, lsn)

    def require_landmark(self, lsn: Lsn, landmark: Landmark) -> None:
        """Raise `PositionLostError` if it is another one now."""
        position = DatabasePosition(lsn, landmark=landmark)
        require_landmark(SqlServerDialect(self._settings), self.asking, self._name, position, self.captured_up_to())

    def has(self, lsn: Lsn) -> bool:
        """Whether this session sees what is captured up to an LSN; a replica may lag."""
        return replicas.has(self.asking, lsn)

    def wait_for(self, lsn: Lsn) -> None:
        """Wait until the session's replica has an LSN."""
        wait_for(self.asking, lsn)

    def rows(
        self,
        read: ReadTable,
        interval: Interval,
        limit: int,
        statement: str | None,
        condition: str | None,
        *,
        recompiles: bool,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of an interval; see `SourceDatabase.rows`.

        They are read under READ COMMITTED with locks, even if the database has row versions instead: the read waits for
        commits that are not visible yet. A replica has only versions. There a read shows what was applied to the
        replica, to which its change tables belong as well.
        """
        sql = statements.chunk(
            read.table.id, read.selects, _key_of(read), interval, limit, self.hint, statement, condition
        )
        if statement is not None:
            self.wait_for_locks()
        reading, is_own = self.reading(), statement is None and condition is None
        with nullcontext() if is_own else reading.rolled_back():
            yield from reading.batches(sql + (statements.RECOMPILE if recompiles else ""), rows=BLOCK_ROWS)

    def opened_view(self, read: ReadTable, statement: str | None, position: Mapping[str, Any]) -> TableView:
        """Open a view of a table without a key; it is the last one from now on."""
        view = views.opened(read, self.locking(), self.reading(), statement)
        view.position = position
        self.view = view
        return view

    def view_position(self) -> Lsn:
        """The LSN of the last view; the capture job has passed it."""
        return self.captured_up_to() if self.view is None else views.place_at(self.asking, self.view.middle, self.reached)

    def has_rows(self, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window."""
        return tables_with_changes.has_rows(self.asking, instances, window)

    def changes(self, read: ReadTable, window: Window) -> Iterator[ChangeRows]:
        """The changes of a table in a window."""
        reading = replace(read.reading, skipped=self._unreported_operations(read.table.id))
        return rows_of(self.asking, reading, window, None, lambda: CHANGES_AT_ONCE)

    def nth_entry(self, window: Window, number: int) -> Lsn | None:
        """The LSN of the commit with this number, from `cdc.lsn_time_mapping`."""
        found = self.asking.one(_NTH.format(number), window.after.raw, window.until.raw)
        return None if found is None else LSNS.of(found)

    def are_within(self, read: ReadTable, bounds: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
        """Whether each bound lies in any of the intervals, in the server's order."""
        return statements.are_within(self.asking, _key_of(read), bounds, intervals)

    def _unreported_operations(self, table: TableId) -> tuple[int, ...]:
        """The skipped operations on a `chosen` table, which take no precedence over a row that was read."""
        skipped = self._settings.skipped_operations if table in self.chosen else frozenset()
        return (*((INSERT,) if "c" in skipped else ()), *((BEFORE, AFTER) if "u" in skipped else ()))

    def move(self, point: Lsn) -> None:
        """Move to another position, which all sessions see."""
        for session in (self.asking, self._reading):
            if session is not None:
                wait_for(session, point, self._patience)
        self.reached = self._point = point
        self.tables = read_tables(self._settings, self.asking, point, self._keys, self._begun)

    def reset_reading(self) -> None:
        """Use new sessions for the next read."""
        for session in (self._reading, self._locking):
            if session is not None:
                session.close()
        self._reading = self._locking = None

    def close(self) -> None:
        """Close the sessions."""
        self.reset_reading()
        self.asking.close()


def _key_of(read: ReadTable) -> ChunkKey:
    if read.key is None:
        raise KeyError(read.table.id)
    return read.key
