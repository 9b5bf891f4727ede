"""One database with tables that a lane reads: its sessions, how far its log is read, and its Capture program."""


from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.rows import AFTER, AFTER_ALONE, BEFORE, INSERT, ChangeRows
from tailrace.connectors.change_tables.same_log import require_landmark
from tailrace.connectors.change_tables.snapshots.begun import Begun
from tailrace.connectors.change_tables.snapshots.read_times import ReadTimes
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2 import tables_with_changes, transactions
from tailrace.connectors.db2.catalog import control
from tailrace.connectors.db2.change_tables import rows_of
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.server_times import utc_us
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import locks, statements, views
from tailrace.connectors.db2.snapshots.capture_progress import CaptureProgram
from tailrace.connectors.db2.snapshots.keys import ChunkKey
from tailrace.connectors.db2.snapshots.read_tables import Db2Tables, Mask, ReadTable
from tailrace.connectors.db2.snapshots.views import TableView
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

CHANGES_AT_ONCE: Final = 1 << 15
_FIRST_BEHIND: Final = (
    "SELECT IBMSNAP_LOGMARKER FROM {0} WHERE IBMSNAP_COMMITSEQ > ? ORDER BY IBMSNAP_COMMITSEQ FETCH FIRST 1 ROW ONLY"
)


class Database:
    """A database, opened at P.

    Attributes:
        settings: of the connector.
        asking: the session for queries about tables, and for their changes.
        tables: that are read.
        job: the Capture program.
        reached: up to where the log is read.
        isolation: the clause for it at the end of each SELECT of rows.
        is_one_transaction: whether all rows are read in one transaction, which nothing here ends.
        view: the view that was opened last.
        read_times: the times noted after chunks.
        chosen: the tables whose rows the user selects: a change takes precedence over a row that was read.

    """

    def __init__(
        self,
        settings: Db2Settings,
        point: DatabasePosition,
        keys: Mapping[TableId, ChunkKey | None],
        begun: Begun,
        lock_ms: int,
    ) -> None:
        """A database at P.

        Args:
            settings: of the connector.
            point: P.
            keys: of the tables.
            begun: the registrations of the tables with which the snapshot began, as far as they are known.
            lock_ms: how long reads wait for a lock; -1: without limit.

        Raises:
            PositionLostError: the changes of a table are not retained from P on.

        """
        self.settings = settings
        self._keys, self._begun = keys, begun
        self._lock_ms = lock_ms
        self._reading: Session | None = None
        self.isolation = statements.committed(is_zos=settings.is_zos)
        self.is_one_transaction = False
        self.view: TableView | None = None
        self.chosen: Collection[TableId] = ()
        self.reached = point.lsn
        with ExitStack() as opens:
            self.asking = opens.enter_context(connect(settings))
            self._open(point)
            self.job = CaptureProgram(self.asking, settings)
            self.read_times = ReadTimes(self.job)
            opens.pop_all()

    def reading(self) -> Session:
        """The session for rows, with a lock timeout."""
        if self._reading is None:
            self._reading = connect(self.settings)
            locks.limit(self._reading, self.settings, self._lock_ms)
        return self._reading

    def captured_up_to(self) -> Lsn:
        """The greatest synchpoint now."""
        return transactions.head(self.asking, self.settings).lsn

    def landmark(self, lsn: Lsn) -> Landmark:
        """The newest row of IBMSNAP_UOW up to an LSN, and when that table was made."""
        return transactions.landmark(self.asking, self.settings, lsn)

    def require_landmark(self, lsn: Lsn, landmark: Landmark) -> None:
        """Raise `PositionLostError` if it is another one now."""
        position = DatabasePosition(lsn, landmark=landmark)
        require_landmark(Db2Dialect(self.settings), self.asking, self.asking.database, position, self.captured_up_to())

    def has(self, lsn: Lsn) -> bool:  # noqa: ARG002
        """True: there are no replicas that are read."""
        return True

    def wait_for(self, lsn: Lsn) -> None:
        """Do nothing: all sessions see the same."""

    def rows(
        self,
        read: ReadTable,
        interval: Interval,
        limit: int,
        statement: str | None,
        condition: str | None,
        *,
        recompiles: bool,  # noqa: ARG002 -- Db2 plans each text anew, as its literals differ
    ) -> Iterator[pa.RecordBatch]:
        """The rows of an interval; see `SourceDatabase.rows`."""
        sql = statements.chunk(
            read.table.id, read.selects, _key_of(read), interval, limit, self.isolation, statement, condition
        )
        yield from self.selected(sql)

    def selected(self, sql: str) -> Iterator[pa.RecordBatch]:
        """The rows of a SELECT; what a function in the user's part of it has written is rolled back."""
        reading = self.reading()
        with ExitStack() as opens:
            if not self.is_one_transaction:
                opens.enter_context(locks.released(reading))
            yield from reading.batches(sql)

    def opened_view(self, read: ReadTable, statement: str | None, position: Mapping[str, Any]) -> TableView:
        """Open a view of a table without a key; it is the last one from now on."""
        view = views.opened(read, self.reading(), self.isolation, statement)
        view.position = position
        self.view = view
        return view

    def view_position(self) -> Lsn:
        """The LSN of the last view; the Capture program has passed it."""
        if self.view is None:
            return self.captured_up_to()
        with locks.released(self.asking):
            return max(views.place_at(self.asking, self.settings, self.view.moment), self.reached)

    def has_rows(self, instances: Sequence[Instance], window: Window) -> Sequence[bool]:
        """Which of the instances have rows in a window."""
        with locks.released(self.asking):
            return tables_with_changes.has_rows(self.asking, instances, window)

    def changes(self, read: ReadTable, window: Window) -> Iterator[ChangeRows]:
        """The changes of a table in a window."""
        reading = replace(read.reading, skipped=self._unreported_operations(read.table.id))
        with locks.released(self.asking), closing(
            rows_of(self.asking, reading, window, None, lambda: CHANGES_AT_ONCE)
        ) as found:
            yield from found

    def nth_entry(self, window: Window, number: int) -> Lsn | None:
        """The LSN of the commit with this number, from IBMSNAP_UOW."""
        if window.is_empty:
            return None
        with locks.released(self.asking):
            return transactions.nth_transaction(self.asking, self.settings, window, number)

    def are_within(self, read: ReadTable, bounds: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
        """Whether each bound lies in any of the intervals, in the server's order."""
        with locks.released(self.asking):
            return statements.are_within(
                self.asking, _key_of(read), bounds, intervals, is_zos=self.settings.is_zos
            )

    def _unreported_operations(self, table: TableId) -> tuple[int, ...]:
        """The skipped operations on a `chosen` table, which take no precedence over a row that was read."""
        skipped = self.settings.skipped_operations if table in self.chosen else frozenset()
        return (*((INSERT,) if "c" in skipped else ()), *((BEFORE, AFTER, AFTER_ALONE) if "u" in skipped else ()))

    def move(self, point: Lsn) -> None:
        """Move to another position, which the log is read to now."""
        self._open(DatabasePosition(point, as_of_us=self._nothing_before(point)))

    def _open(self, point: DatabasePosition) -> None:
        self.reached = point.lsn
        with locks.released(self.asking):
            self.tables = Db2Tables(self.settings, self.asking, point, self._keys, self._begun)

    def _nothing_before(self, point: Lsn) -> int:
        """A time before which nothing behind an LSN was committed, while the log is read there and nothing is pruned yet."""
        head = transactions.head(self.asking, self.settings)
        first = self.asking.one(_FIRST_BEHIND.format(control(self.settings, "IBMSNAP_UOW")), point.raw)
        if first is not None:
            return utc_us(first, head.offset_minutes) - transactions.SECOND_US
        return head.now_us if head.synchtime_us is None else head.synchtime_us

    def reset_reading(self) -> None:
        """Use a new session for the next read."""
        if self._reading is not None:
            self._reading.close()
        self._reading = None

    def close(self) -> None:
        """Close the sessions, and the view."""
        if self.view is not None:
            self.view.close()
        self.reset_reading()
        self.asking.close()


def _key_of(read: ReadTable) -> ChunkKey:
    if read.key is None:
        raise KeyError(read.table.id)
    return read.key
