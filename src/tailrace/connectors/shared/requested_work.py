"""The requested work of a lane that reads the log: signals are handled, and chunks are read between batches.

Signals of a signal table come through the log, so they are handled with the batch that contains them. Those of the file
and Kafka channels are polled. The work that they request is stored with the progress of that batch, so that no signal
is lost or handled twice.

A blocking snapshot, and structures that a signal brings, end the reading at the next boundary. The reader that
continues begins there with the stored progress and history.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from tailrace.config.settings import Settings
from tailrace.connectors.base import Lane, LogBatch, Progress
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.incremental import At_contra, Boundary, IncrementalReader
from tailrace.errors import StructureError
from tailrace.notifications.channels import NotificationChannels
from tailrace.notifications.model import Notification
from tailrace.requested_work.figures import WorkFigures
from tailrace.requested_work.handling import SignalContext, apply
from tailrace.requested_work.work import Work
from tailrace.schema.tables import TableId
from tailrace.signals.channels import SignalChannels
from tailrace.signals.model import Signal
from tailrace.snapshot.figures import Figures

At = TypeVar("At", bound=Boundary)

log = logging.getLogger(__name__)


class RequestedWorkLog(Protocol[At_contra]):
    """What requested work needs from a database's log that is being read."""

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""

    def tables(self) -> Sequence[TableId]:
        """The tables whose rows may be requested: those that are captured now."""

    def position_text(self, progress: Progress) -> str:
        """The position of a progress, for people."""

    def take_structure(self, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch) -> bool:
        """Adopt a structure that a signal brings; whether reading must begin again with it.

        Raises:
            StructureError: the structure can't be parsed.

        """

    def incremental_reader(self) -> IncrementalReader[At_contra]:
        """The reader of incremental snapshots."""


class RequestedWork(Generic[At]):
    """The signals of one lane, and the work that they requested.

    Attributes:
        work: what remains to be done.
        figures: the last figures of an incremental snapshot that the signals of the last batch ended, to be shown with
            it.

    """

    def __init__(self, settings: Settings, lane: Lane, progress: Progress, of_log: RequestedWorkLog[At]) -> None:
        self._settings = settings
        self._lane = lane
        self._log = of_log
        # A progress of another layout of lanes may have tables that other lanes deliver now: they read them.
        work = Work.from_dict(progress.signalled)
        self.work = work.without([table for table in work.ids if not of_log.owns(table)])
        self._channels = SignalChannels(settings, work.marks, lanes=lane.count)
        self._notices = NotificationChannels(settings)
        self._reader: IncrementalReader[At] | None = None
        self._new_structures = self._goes_on = False
        self._shown = WorkFigures()
        self.figures: Figures | None = None

    def close(self) -> None:
        """Close the channels and the reader's connection."""
        self._channels.close()
        if self._reader is not None:
            self._reader.close()

    def wait_ms(self, longest: int) -> int:
        """How long to wait for the log (ms), so that the channels are polled in time; 0 after a chunk."""
        if self._goes_on:
            return 0
        if self._reader is not None and self._is_reading:
            longest = self._reader.wait_ms(longest)
        return self._channels.wait_ms(longest)

    @property
    def interrupts_reading(self) -> bool:
        """Whether reading must end at the next boundary."""
        return self.work.blocking is not None or self._new_structures

    def handle(self, signals: Sequence[Signal], progress: Progress, batch: Batch) -> Progress:
        """Handle the signals of a batch, then those of the polled channels; the progress with the requested work."""
        here = self._context(progress)
        self._goes_on = False
        self._shown.note_work(self.work)
        for signal in chain(signals, (received.signal for received in self._channels.poll())):
            effect = apply(signal, self.work, here)
            self.work = effect.work
            for database, change in effect.structures:
                self._take_structure(signal, database, change, progress, batch)
            self._notify(effect.notifications, progress, batch)
        # The marks go into the same progress as the work. If the commit fails, both are forgotten, and the signals are
        # polled again.
        self.work = replace(self.work, marks=self._channels.marks)
        self.figures = None if self.work.tables else self._shown.figures(self.work)
        return replace(progress, signalled=self.work.to_dict())

    def step(self, at: At, *, at_head: bool) -> Iterator[LogBatch]:
        """Read a chunk at a boundary, if the work has one."""
        if not self._is_reading:
            return
        if self._reader is None:
            self._reader = self._log.incremental_reader()
        # The chunk's rows, the rest of the work and the notifications are one commit, so a crash repeats all of it or
        # nothing.
        done = self._reader.step(self.work, at)
        if done is None:
            return
        self._shown.note_work(self.work)
        self._shown.note_sizes(done.sizes)
        if done.rows:
            self._shown.note_chunk(self.work.tables[0].table, done.rows)
        # While the snapshot makes progress the log is polled without waiting, or each chunk would cost a poll interval.
        self.work, self._goes_on = done.work, True
        progress = replace(at.progress, signalled=self.work.to_dict())
        events = list(done.events)
        notice = self._notices.send(done.notifications, progress.delivered, 0)
        events += [] if notice is None else [notice]
        figures = self._shown.figures(self.work)
        yield LogBatch(events, progress, changes=done.rows, at_head=at_head, figures=figures)

    @property
    def _is_reading(self) -> bool:
        return bool(self.work.tables) and not self.work.paused

    def _context(self, progress: Progress) -> SignalContext:
        return SignalContext(
            connector=self._settings.topic_prefix,
            is_first=self._lane.is_first,
            owns=self._log.owns,
            tables=self._log.tables,
            position=lambda: self._log.position_text(progress),
            named=self._settings.told_name,
        )

    def _take_structure(
        self, signal: Signal, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch
    ) -> None:
        try:
            self._new_structures |= self._log.take_structure(database, change, progress, batch)
        except StructureError as error:
            # A mistake in a signal must not stop the stream.
            log.warning("the signal %r gives a structure that can't be read, and is left out: %s", signal.id, error)

    def _notify(self, notifications: Sequence[Notification], progress: Progress, batch: Batch) -> None:
        notice = self._notices.send(notifications, progress.delivered, batch.rank)
        if notice is not None:
            batch.add(notice)
