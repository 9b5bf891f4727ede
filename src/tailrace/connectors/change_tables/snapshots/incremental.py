"""Incremental snapshots: chunks of tables, read between windows of the log.

It takes some seconds until it is known up to which LSN the change tables have what a read saw (`capture.py`), and the
log does not wait for that. So the next chunks of a table are read when the log is delivered up to V, and the log
continues. When capture has passed the read, and the log has been delivered up to there, at P, the chunks are delivered,
without the rows whose keys changed between V and P: the log has delivered those changes. The remaining rows are as they
are at P.

If a table's key may be younger than V, the chunks count for nothing, and new ones are read at P: that is behind the key.

No before image is needed, so rows that a condition of the user selects are as exact as others.

A table that can't be read ends only its own snapshot, and the log continues. A table that can't be read now is read
later, unless its condition takes too long: that will not get better.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic

from tailrace import epoch
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.instances import Instance, instances_at
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.signal_tables import is_captured
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT
from tailrace.connectors.change_tables.snapshots.incremental_reads import IncrementalReads
from tailrace.connectors.change_tables.snapshots.key_proofs import KeyProofs
from tailrace.connectors.change_tables.snapshots.pending_chunks import PendingChunks, read_pending
from tailrace.connectors.change_tables.snapshots.planned_tables import PlannedTables
from tailrace.connectors.change_tables.snapshots.read_changes import read_changes
from tailrace.connectors.change_tables.snapshots.source import LSN, ChangeTableSource
from tailrace.connectors.shared.signal_sql import require_allowed
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.shared.snapshots.incremental import MARK, Step, Steps
from tailrace.connectors.shared.snapshots.keys import IndexKey, NoKey
from tailrace.connectors.shared.snapshots.read_records import events_of
from tailrace.errors import (
    PositionLostError,
    ProgressError,
    RetriableError,
    SourceSetupError,
    StructureError,
    UnsupportedError,
)
from tailrace.notifications.snapshots import Status
from tailrace.requested_work.figures import TableSize
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.tables import TableId
from tailrace.snapshot.incremental import take_gathered
from tailrace.snapshot.segments import Bound

POLL_MS: Final = 100
COMPLAIN_SECONDS: Final = 120.0  # between two warnings

log = logging.getLogger(__name__)


class ChangeTableIncrementalReader(Generic[Session, DatabaseT]):
    """Reads the requested tables of a lane, some chunks at a time."""

    def __init__(
        self,
        dialect: Dialect[Session],
        tables: PlannedTables[Session, Any],
        reads: IncrementalReads[Session, DatabaseT],
    ) -> None:
        self._dialect = dialect
        self._tables = tables
        self._reads = reads
        self._settings = dialect.settings
        self._steps = Steps(dialect.settings)
        self._table: TableWork | None = None  # the one that the source reads
        self._source: ChangeTableSource[DatabaseT, Any] | None = None
        self._gathered: PendingChunks | None = None
        self._is_sized = self._is_proven = False
        self._proofs = KeyProofs(dialect, tables)
        self._warn_at = 0.0

    def close(self) -> None:
        """Close the connections."""
        if self._source is not None:
            self._source.close()
        self._source = self._table = self._gathered = None

    def wait_ms(self, longest: int) -> int:
        """A short wait: capture is polled more often than the log."""
        return min(longest, POLL_MS)

    def step(self, work: Work, at: LogBoundary) -> Step | None:
        """Continue with the first table; None if there is nothing to deliver at this boundary."""
        table = work.tables[0]
        is_known = at.has(table.table.catalog) and is_captured(self._dialect, table.table)
        if not is_known and (table.key is None or not at.has(table.table.catalog)):
            self.close()
            return self._steps.ended(work, table, Status.UNKNOWN_SCHEMA)
        place = at.lsn(table.table.catalog)
        # A window is delivered in part, so there is no LSN up to which exactly everything is delivered.
        if place is None:
            return None
        try:
            require_allowed(self._settings, table.condition)
            if table.key is None:
                return self._start_table(work, table, place)
            return self._step(work, table, place)
        except (SourceSetupError, StructureError, UnsupportedError, ProgressError) as error:
            self.close()
            return self._steps.failed(work, table, error)

    def _start_table(self, work: Work, table: TableWork, place: Lsn) -> Step | None:
        """Find a table's key, and its greatest value; None: that is impossible now."""
        self.close()
        try:
            with self._reads.session(table.table.catalog, place) as session:
                return self._first(session, work, table, place)
        except RetriableError as error:
            return self._later(work, table, error)

    def _first(self, session: Session, work: Work, table: TableWork, place: Lsn) -> Step:
        """The step that begins a table, or ends it."""
        instance = self._instance_at(session, table.table, place)
        if instance is None:
            return self._steps.ended(work, table, Status.UNKNOWN_SCHEMA)
        key = self._tables.key_now(session, instance, table)
        if isinstance(key, NoKey):
            return self._steps.without_key(work, table, key.reason)
        first = self._tables.start_table(session, table, key)
        if first is None:
            return self._steps.ended(work, table, Status.EMPTY)
        return Step(work.with_first(first), sizes=self._table_sizes(session, work.ids))

    def _step(self, work: Work, table: TableWork, place: Lsn) -> Step | None:
        gathered = self._gathered
        # A signal may have changed the work since the chunks were read.
        if gathered is None or gathered.segment != table.segment:
            return self._read_pending(work, table, place)
        if self._source is None or not self._is_behind(self._source, gathered, table.table, place):
            return None
        self._gathered = None
        if not self._is_proven:
            # The log is now behind what was read, and so behind the key. Where the chunks were read it need not be.
            self._is_proven = True
            return None
        try:
            return self._delivered(self._source, work, gathered, place)
        except PositionLostError as error:  # the clean-up has removed changes after V; new chunks begin at a later one
            log.info("chunks of %s are read again: %s", table.table, error)
            return None

    def _read_pending(self, work: Work, table: TableWork, place: Lsn) -> Step | None:
        """Read the next chunks at V. None: they are delivered later, or read later."""
        self._gathered = None
        try:
            found = read_pending(self._opened(table, place), table.segment)
        except PositionLostError as error:
            log.warning("the incremental snapshot of %s ends here, as it is not captured: %s", table.table, error)
            self.close()
            return self._steps.ended(work, table, Status.UNKNOWN_SCHEMA)
        except RetriableError as error:
            self.close()  # a new connection may reach another replica
            return self._later(work, table, error)
        if found.chunks:
            self._gathered = found
        elif found.held is not None:
            return self._later(work, table, found.held)
        elif found.is_gone:
            self.close()
            return self._steps.ended(work, table, Status.UNKNOWN_SCHEMA)
        return None

    def _later(self, work: Work, table: TableWork, error: RetriableError) -> Step | None:
        """The step for a table that can't be read now; None: it is read later."""
        if self._reads.takes_too_long(error) and table.condition is not None:
            self.close()
            return self._steps.failed(work, table, f"{error}; an index for the condition may help")
        self._complain(f"{table.table} is read later, and the log goes on: {error}")
        return None

    def _opened(self, table: TableWork, place: Lsn) -> ChangeTableSource[DatabaseT, Any]:
        """The source, at V; it reads only this table."""
        if self._source is None or self._table is None or self._table.table != table.table:
            self.close()
            self._source = self._reads.opened(table, place)
            self._table, self._is_sized = table, False
            self._is_proven = self._has_old_key(self._source, table.table, place)
        else:
            self._source.move(table.table, place)
        return self._source

    def _has_old_key(self, source: ChangeTableSource[DatabaseT, Any], table: TableId, place: Lsn) -> bool:
        """Whether a table's key is no younger than an LSN."""
        read = source.table(table)
        if read is None or read.key is None:
            return True
        session = self._reads.catalog_session(source.database(table))
        return not self._proofs.young(session, place, [read.instance], {table: read.key})

    def _is_behind(
        self, source: ChangeTableSource[DatabaseT, Any], gathered: PendingChunks, table: TableId, place: Lsn
    ) -> bool:
        """Whether the log has been delivered up to what the chunks saw."""
        database = source.database(table)
        found = gathered.is_behind(database, place)
        if gathered.head is None and time.monotonic() - gathered.since > database.job.patience:
            self._complain(database.job.stuck(gathered.read_at, database.job.patience))
        return found

    def _delivered(
        self, source: ChangeTableSource[DatabaseT, Any], work: Work, gathered: PendingChunks, place: Lsn
    ) -> Step | None:
        """The step that delivers the chunks as of P; None if the structure changed since they were read."""
        before = work.tables[0]
        tables, read = source.database(before.table).tables, source.table(before.table)
        asking = self._reads.catalog_session(source.database(before.table))
        now = self._instance_at(asking, before.table, place)
        # The chunks were read by the structure of then: after a change they are dropped, and read again.
        if read is None or now != read.instance or before.table in tables.altered():
            return None
        key, skipped = read.key, self._settings.skipped_operations
        taken = take_gathered(source, gathered.segment, gathered.chunks, _place(before.table, place), skipped)
        if source.table(before.table) is not read or before.table in tables.altered():
            return None  # it was altered or dropped while its changes were read
        table = replace(before, after=taken.after, rows=before.rows + taken.rows)
        now_us, changes = epoch.now_us(), read_changes(self._dialect, place, is_behind=True)
        events = [
            each
            for piece in taken.pieces
            if isinstance(piece.of, ReadChunk)
            for each in events_of(
                changes.of_piece(piece.of, piece.rows, MARK, piece.of.read_us, tables.shape_of), now_us
            )
        ]
        span = _span(key, before, gathered)
        step = self._steps.read(
            work,
            table,
            self._shown(key, table.after),
            self._shown(key, table.upto),
            events=events,
            rows=taken.rows,
            sizes={} if self._is_sized else self._table_sizes(asking, work.ids, span),
        )
        self._is_sized = True
        if not taken.is_last:
            return step
        self.close()
        return self._steps.read_to_end(step, table)

    def _table_sizes(
        self, session: Session, tables: Sequence[TableId], span: tuple[int, int] | None = None
    ) -> dict[TableId, TableSize]:
        """The estimated sizes of the tables in the session's database; `span`: of the first one's key."""
        instances = [each for each in self._dialect.instances(session) if each.table in tables]
        rows = self._tables.estimated_rows(session, instances)
        return {table: TableSize(rows.get(table, 0), span if table == tables[0] else None) for table in tables}

    def _instance_at(self, session: Session, table: TableId, place: Lsn) -> Instance | None:
        """The capture instance that has a table's changes from an LSN on."""
        return instances_at([each for each in self._dialect.instances(session) if each.table == table], place).get(table)

    def _shown(self, key: IndexKey[Any] | None, bound: Bound | None) -> list[Any]:
        return [] if key is None else self._reads.values(key, bound or ())

    def _complain(self, what: str) -> None:
        """Warn, but not too often."""
        if time.monotonic() >= self._warn_at:
            log.warning("the incremental snapshot waits: %s", what)
            self._warn_at = time.monotonic() + COMPLAIN_SECONDS


def _span(key: IndexKey[Any] | None, table: TableWork, gathered: PendingChunks) -> tuple[int, int] | None:
    """The least and the greatest value of the key's first column, if it is a number and the table begins."""
    first = gathered.chunks[0].bound(0) if len(gathered.chunks[0]) else None
    if key is None or not key.columns[0].is_number or table.after is not None or first is None or table.upto is None:
        return None
    return int(first[0]), int(table.upto[0])


def _place(table: TableId, lsn: Lsn) -> Mapping[str, Any]:
    """An LSN in the form of a section's position."""
    return {LSN: {table.catalog: lsn.text}}
