"""One database's log, window by window: batches of events, each with the database's position after it.

A window contains what was captured since the last one, or the first part of it. Its tables are delivered one after the
other, by name, each in its own order. The position says how far that is, so that reading resumes within a window, a
table and a transaction. Between windows no query is open.

    max LSN → window → tables with rows in it → their rows → the window's end
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final, Generic

from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.boundaries import Boundaries
from tailrace.connectors.change_tables.capture_instances import CaptureInstances
from tailrace.connectors.change_tables.captured import CapturedTables
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.lost_changes import LostChanges
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.next_window import next_window
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.same_log import require_landmark
from tailrace.connectors.change_tables.skipped_changes import FAIL
from tailrace.connectors.change_tables.structure_changes import announce_new, announce_removed
from tailrace.connectors.change_tables.transactions import Transactions
from tailrace.connectors.change_tables.window_tables import NewBatch, OpenWindow, WindowTables
from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.shared.batches import Batch
from tailrace.errors import LogFormatError, SourceSetupError, StructureError
from tailrace.post_processors.reselecting import Reselecting

WINDOW_TRANSACTIONS: Final = 100_000
COUNTED_TRANSACTIONS: Final = 20_000  # with transaction metadata: the keys of all their changes are held in memory
ALL: Final = (1 << 31) - 1

log = logging.getLogger(__name__)


class DatabaseLog(Generic[Session]):
    """Reads one database's log.

    Attributes:
        position: how far the yielded batches reach.
        is_at_head: whether nothing more was captured when the last window was read.

    """

    def __init__(
        self,
        dialect: Dialect[Session],
        database: str,
        position: DatabasePosition,
        announced: AnnouncedStructures,
        tables: CapturedTables[Session, Any],
        new_batch: NewBatch,
        *,
        delivers_metadata: bool = True,
        planned: DatabasePosition | None = None,
        reselecting: Sequence[Reselecting] = (),
    ) -> None:
        """A log that is not open yet.

        Args:
            dialect: of the database.
            database: whose log.
            position: where reading begins.
            announced: the structures known there.
            tables: of this lane.
            new_batch: makes an empty batch.
            delivers_metadata: whether this lane delivers transaction metadata.
            planned: the end of a planned range, with the clock offset of its plan; None: there is no plan.
            reselecting: reads again what changes lack.

        """
        self.position = position
        self._dialect = dialect
        self._database = database
        self._announced = announced
        self._new_batch = new_batch
        self._log = dialect.log(database, planned)
        self._session: Session | None = None
        self._opens = ExitStack()
        self._reselecting = reselecting
        settings = dialect.settings
        counts = settings.provide_transaction_metadata
        self._instances, self._reads = CaptureInstances(dialect, announced), tables.reads
        filled = None if planned is None else planned.filled
        self._lost = LostChanges(
            dialect, announced, self._instances, self._log, lambda table: counts or tables.reads(table), filled
        )
        self._reader = WindowTables(
            dialect, tables, self._instances, self._lost, new_batch, counts=counts, reselecting=reselecting
        )
        # A skipped change would leave a hole in the numbers of transaction metadata, so it must fail.
        self._failures = FAIL if counts else settings.event_processing_failure_handling_mode
        uses_processing_time = dialect.uses_processing_time
        boundaries = Boundaries(settings, dialect.lsns, uses_processing_time=uses_processing_time)
        self._boundaries = boundaries if counts and delivers_metadata else None
        self._bound = self._log.most_transactions or (COUNTED_TRANSACTIONS if counts else WINDOW_TRANSACTIONS)
        self._head = dialect.lsns.zero
        self._is_last = False
        self._is_same = False
        self.is_at_head = False

    def close(self) -> None:
        """Close the connection."""
        self._session, self._is_same = None, False
        self._opens.close()
        for each in self._reselecting:
            each.close()

    def batches(self, until: Lsn | None = None) -> Iterator[Batch]:
        """The batches of the next window; none if nothing was captured since. `position` is set before each is yielded.

        Raises:
            PositionLostError: changes that come next were cleaned up.

        """
        session = self._open()
        self.is_at_head = False
        window = self._next_window(session, until)
        if window is None:
            self.is_at_head = True
            return
        found, window = self._transactions(session, window)
        if len(found):
            self._require_same(session)  # capture may begin anew, or the database be restored, without a cut connection
        self._is_last = window.until == self._head
        announced = self._new_batch()
        announce_removed(session, self._lost, self._announced, window, announced, self.position.as_of_us)
        announce_new(self._instances, self._announced, window, announced, self._reads)
        begin = self.position
        if begin.until is None:
            begin = begin.within(window.until, found.landmark)
        # A batch of its own, whose position has the window's end already: after a crash the same window is read.
        if announced.events:
            self.position = begin
            yield announced
        version = self._instances.version
        try:
            opened = self._reader.open(session, window, found, begin)
            if self._instances.version != version:
                return  # the structures may be others by now: the next call begins the window again
            yield from self._tables_of(opened, begin)
        except (SourceSetupError, StructureError, LogFormatError) as error:
            # A query fails if a capture instance was dropped meanwhile. That is a change to be read, not an error:
            # begin again. Otherwise the window is read a second time under the configured failure handling, which
            # leaves faulty rows out.
            self._instances.refresh(session)
            if self._instances.version != version:
                log.warning(
                    "%s: capture instances have changed while they were read, beginning again: %s", self._database, error
                )
            elif self._reader.failures == self._failures or isinstance(error, SourceSetupError):
                raise
            else:
                self._reader.failures = self._failures

    def head(self, wanted: Lsn) -> Lsn:
        """How far the log is captured now; waits for a replica that has not reached `wanted`."""
        session = self._open()
        self._dialect.wait_for(session, wanted)
        return self._dialect.head(session)

    def _open(self) -> Session:
        if self._session is None:
            with ExitStack() as opens:
                session = opens.enter_context(self._log.connect())
                self._dialect.require_captured(session, self._database)
                self._dialect.wait_for(session, self.position.reached)
                self._opens = opens.pop_all()
            self._session = session
        return self._session

    def _next_window(self, session: Session, until: Lsn | None) -> Window | None:
        """The next window, without the limit of its transactions; None if there is none yet."""
        self._head = self._log.head(session)
        if not self._is_same:
            self._require_same(session)
            self._is_same = self._head >= self.position.lsn
        window = next_window(session, self._database, self._instances, self.position, self._head, until)
        if window is None:
            self._log.look_why_quiet(session, self._head)
        return window

    def _require_same(self, session: Session) -> None:
        """Require that the log is still that of the position, whose landmark may be another one then."""
        newest = require_landmark(self._dialect, session, self._database, self.position, self._head)
        self.position = replace(self.position, landmark=newest)

    def _transactions(self, session: Session, window: Window) -> tuple[Transactions, Window]:
        """The window's transactions, and the window; it is shortened if it has more of them than `_bound`."""
        # A started window has its final end already, in `until`.
        bound = ALL if self.position.until is not None else self._bound
        found = self._log.transactions(session, window, bound)
        if (len(found) < bound and found.is_whole) or self.position.until is not None:
            return found, window
        return found, Window(window.after, lsn_columns.lsn_at(found.commit, -1))

    def _as_of_us(self, opened: OpenWindow[Session]) -> int | None:
        """`DatabasePosition.as_of_us` at a window's end; None: not later than at its beginning."""
        if self._log.as_of_us is None or opened.window.until == self._head:
            return self._log.as_of_us
        return int(opened.transactions.time_us[-1]) if len(opened.transactions) else None

    def _tables_of(self, opened: OpenWindow[Session], begin: DatabasePosition) -> Iterator[Batch]:
        """The batches of a window's tables from a position on, then one at the window's end."""
        for batch, position in self._reader.batches(opened, begin):
            self.position = position
            yield batch
        self._reader.failures = FAIL
        # Checked after the rows were read, and before the window counts as delivered: the clean-up may have removed
        # rows that the queries then did not return.
        self._lost.require_kept(opened.session, opened.filled, opened.window, begin.as_of_us)
        last = self._new_batch()
        if opened.orders is not None and self._boundaries is not None and len(opened.orders.with_records):
            last.add(self._boundaries.of(opened.transactions, opened.orders, last))
        self.position = begin.at(opened.window.until, self._as_of_us(opened), opened.transactions.landmark)
        self.is_at_head = self._is_last
        yield last
