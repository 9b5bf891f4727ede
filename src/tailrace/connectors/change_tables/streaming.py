"""Reads the logs: from a restart position to batches of records with their progress.

Each database has its own log (`database_log.py`); they are read in turn, a window at a time. Of several lanes, each
reads the change tables of its own topics, in windows of its own. Lanes that have read up to the same LSNs have the same
progress, whatever each of them delivered. At such a progress the number of lanes may change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Final, Generic

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures, is_announced_up_to
from tailrace.connectors.change_tables.captured import CapturedTables, Decoding
from tailrace.connectors.change_tables.database_log import DatabaseLog
from tailrace.connectors.change_tables.dialect import Dialect, Session
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import Positions, RestartPosition
from tailrace.connectors.change_tables.requested_work import ChangeTablesRequestedWorkLog
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.heartbeats import ActionConnection, Heartbeats
from tailrace.connectors.shared.kept_history import KeptHistory
from tailrace.connectors.shared.requested_work import RequestedWork
from tailrace.connectors.shared.reselected_rows import reselecting_of
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.connectors.shared.snapshots.notifications import SnapshotNotifications
from tailrace.errors import PositionLostError
from tailrace.events.event import NewEvents
from tailrace.events.pipeline import sizes_of
from tailrace.post_processors.reselecting import SelectsRows

AGAIN_SECONDS: Final = 1.0  # after which a blocking snapshot is tried again that could not begin


@dataclass(frozen=True, slots=True)
class LogParts(Generic[Session]):
    """What a connector supplies for reading its logs.

    Attributes:
        dialect: of the database.
        decoding: of its rows.
        incremental: makes the reader of incremental snapshots.
        actions: opens the connection for `heartbeat.action.query`.
        reselected: makes what selects rows of a database, by its name, for `post.processors`.

    """

    dialect: Dialect[Session]
    decoding: Decoding[Session, Any]
    incremental: Callable[[], IncrementalReader[LogBoundary]]
    actions: Callable[[], ActionConnection]
    reselected: Callable[[str], SelectsRows]


class LogReader(Generic[Session]):
    """Reads one range of the logs, once.

    Attributes:
        is_interrupted: whether reading stopped before the range's end, because of requested work.

    """

    def __init__(
        self, parts: LogParts[Session], range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._parts = parts
        self._dialect = parts.dialect
        self._settings = settings = parts.dialect.settings
        self._positions = Positions(parts.dialect.lsns)
        self._progress = progress
        self._lane = range_.lane
        self._now_us = range_.now_us
        self._sizes = sizes_of(settings)
        self._restart = self._positions.restart(progress.restart or range_.start, self._dialect.databases)
        self._until = self._end_at(range_.until)
        self._history = self._new_history(history)
        self._announced = AnnouncedStructures(
            self._dialect, self._history.records, emits_events=self._lane.is_first, planned=range_.planned
        )
        self._heartbeats = self._new_heartbeats()
        self._tables = CapturedTables(parts.dialect, parts.decoding, self._lane)
        self._signalled = ChangeTablesRequestedWorkLog(
            self._dialect, parts.incremental, self._lane, self._tables.owns, self._announced
        )
        self._requested_work = self._new_requested_work()
        self._is_heard_of = False
        # A blocking snapshot that was to begin here was tried, and can't yet: the log goes on for a while.
        is_asked = "blocking" in (progress.signalled or {})
        self._interrupts_at = time.monotonic() + AGAIN_SECONDS if is_asked else 0.0
        self.is_interrupted = False

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches; without an end, an idle one whenever nothing comes within the poll interval."""
        self._new_events = new_events
        with ExitStack() as opens:
            for each in (self._heartbeats, self._requested_work):
                if each is not None:
                    opens.enter_context(closing(each))
            if self._restart.is_initial:
                yield self._first_batch()
            logs = {
                name: opens.enter_context(closing(self._new_log(name)))
                for name in self._dialect.databases
            }
            yield from self._follow(logs)

    def _follow(self, logs: Mapping[str, DatabaseLog[Session]]) -> Iterator[LogBatch]:
        """Read to the range's end."""
        is_done = False
        while not is_done:
            is_told = has_more = False
            # One window of each database in turn, so that a backlog of one does not hold up the others.
            for name, log in logs.items():
                for batch in log.batches(self._end_of(name)):
                    is_told = True
                    # A window without anything of ours is no work: the head of a busy log moves at each look.
                    has_more = has_more or bool(batch.events) or batch.changes > 0 or not log.is_at_head
                    self._restart = self._restart.with_(name, log.position)
                    yield self._finished(batch, at_head=log.is_at_head)
                self._restart = self._restart.with_(name, log.position)  # without a batch it may have its landmark now
            is_done = self._is_reached(logs)
            # A range without changes still needs a batch with its final position.
            if is_done and not is_told:
                yield self._finished(self._new_batch(), at_head=True)
            elif not is_done and not has_more:
                time.sleep(self._wait_ms() / 1000)
                yield self._finished(self._new_batch(), idle=True, at_head=True)
            if not is_done:
                yield from self._between_windows(at_head=not has_more)
                is_done = self.is_interrupted

    def _between_windows(self, *, at_head: bool) -> Iterator[LogBatch]:
        """The batches of requested work, between windows."""
        if self._requested_work is None:
            return
        if at_head and not self._is_heard_of:
            self._signalled.warn_of_uncaptured_signal_tables()
            self._is_heard_of = True
        yield from self._requested_work.step(LogBoundary(self._progress_here(), self._positions), at_head=at_head)
        # A blocking snapshot is as of a position between windows of every database, so reading ends only there.
        is_asked = self._requested_work.interrupts_reading and time.monotonic() >= self._interrupts_at
        self.is_interrupted = is_asked and self._restart.is_between_windows

    def _is_reached(self, logs: Mapping[str, DatabaseLog[Session]]) -> bool:
        """Whether all databases are read to the range's end.

        Raises:
            PositionLostError: the log of one no longer reaches the end.

        """
        if self._until is None:
            return False
        short = [name for name, log in logs.items() if log.position.lsn < self._until[name].lsn]
        for name in short:
            end = self._until[name].lsn
            head = logs[name].head(end)
            # When the range was planned, the log was captured up to its end. If it is not now, it is another log.
            if head < end:
                raise PositionLostError(
                    f"the log of {name} was to be read up to {end}, and it is captured up to {head} only: the database was "
                    "restored, or change data capture was disabled and enabled again"
                )
        return not short

    def _end_at(self, until: Mapping[str, Any] | None) -> RestartPosition | None:
        return None if until is None else self._positions.restart(until, self._dialect.databases)

    def _end_of(self, name: str) -> Lsn | None:
        return None if self._until is None else self._until[name].lsn

    def _new_log(self, name: str) -> DatabaseLog[Session]:
        position, tells = self._restart[name], self._lane.is_first
        planned = None if self._until is None else self._until[name]
        return DatabaseLog(
            self._dialect,
            name,
            position,
            self._announced,
            self._tables,
            self._new_batch,
            delivers_metadata=tells,
            planned=planned,
            reselecting=reselecting_of(self._settings, lambda: self._parts.reselected(name)),
        )

    def _new_history(self, given: Sequence[HistoryRecord]) -> KeptHistory:
        """The schema history up to the position where reading begins."""
        return KeptHistory(self._settings, given, self._holds, writes=self._lane.is_first)

    def _holds(self, record: HistoryRecord) -> bool:
        """Whether a record of the history belongs to these databases and lies before the position where reading begins."""
        lsns = {name.lower(): self._restart[name].lsn for name in self._dialect.databases}
        return is_announced_up_to(record, lsns, self._dialect)

    def _new_requested_work(self) -> RequestedWork[LogBoundary] | None:
        """The handler of requested work; None in a planned range, which must yield equal events each time it is read."""
        if self._now_us is not None:
            return None
        return RequestedWork(self._settings, self._lane, self._progress, self._signalled)

    def _new_heartbeats(self) -> Heartbeats | None:
        """The heartbeats; None in a planned range, which must yield the same events when it is read again."""
        settings = self._settings
        wanted = settings.heartbeat_interval_ms > 0 and self._lane.is_first and self._now_us is None
        return Heartbeats(settings, self._parts.actions) if wanted else None

    def _first_batch(self) -> LogBatch:
        """The batch before the first change: the initial structures, and the notifications of a snapshot without rows."""
        batch = self._new_batch()
        tells = self._lane.is_first and self._now_us is None
        started, completed = (
            SnapshotNotifications(self._settings, self._restart.delivered).without_rows() if tells else ([], [])
        )
        for event in started:
            batch.add(event)
        self._announced.announce_initial(self._restart, batch)
        for event in completed:
            batch.add(event)
        if self._heartbeats is not None:  # the next one comes after the structures, as after a snapshot of rows
            self._heartbeats.hurry()
        # The commit of this batch says that the structures are delivered, so that a restart does not repeat them.
        self._restart = self._restart.announced()
        return self._finished(batch)

    def _new_batch(self) -> Batch:
        """An empty batch, with the current time or the range's processing time."""
        return Batch(epoch.now_us() if self._now_us is None else self._now_us, self._sizes, self._new_events())

    def _wait_ms(self) -> int:
        longest = self._settings.poll_ms
        for each in (self._heartbeats, self._requested_work):
            longest = longest if each is None else each.wait_ms(longest)
        return longest

    def _finished(self, batch: Batch, *, idle: bool = False, at_head: bool = False) -> LogBatch:
        progress = self._progress_here()
        if self._requested_work is not None:
            progress = self._requested_work.handle(batch.signals, progress, batch)
        if self._heartbeats is not None:
            self._heartbeats.beat(batch, progress, epoch.now_us())
        return LogBatch(
            batch.events,
            progress,
            self._history.save(self._announced.take_history()),
            changes=batch.changes,
            source_ts_ms=batch.source_ts_ms,
            idle=idle,
            at_head=at_head,
            figures=None if self._requested_work is None else self._requested_work.figures,
            is_interleaved=True,
        )

    def _progress_here(self) -> Progress:
        signalled = self._progress.signalled if self._requested_work is None else self._requested_work.work.to_dict()
        return Progress(self._restart.delivered, self._restart.to_dict(), signalled=signalled)
