"""What signals want of the one who reads the log.

They are handled with the batch that they come in, and chunks of tables are read between batches.

Signals of the signal table come through the log, those of a file or a Kafka topic are looked for now and then. What they
ask for is kept with the progress of the batch. A blocking snapshot, and structures that a signal gives, end the reading
at the next boundary: whoever reads on begins there with what the progress and the history have.
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
from tailrace.schema.tables import TableId
from tailrace.signalled.figures import WorkFigures
from tailrace.signalled.handling import Surroundings, handled
from tailrace.signalled.work import Work
from tailrace.signals.channels import SignalChannels
from tailrace.signals.model import Signal
from tailrace.snapshot.figures import Told

At = TypeVar("At", bound=Boundary)

log = logging.getLogger(__name__)


class SignalledLog(Protocol[At_contra]):
    """What signals need of a database's log that is being read."""

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""

    def tables(self) -> Sequence[TableId]:
        """The tables whose rows may be asked for, as they are known now."""

    def shown(self, progress: Progress) -> str:
        """The position of a progress, for people."""

    def take_structure(self, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch) -> bool:
        """Take over a structure that a signal gives; whether reading has to begin again with it.

        Raises:
            StructureError: it can't be read.

        """

    def incremental_reader(self) -> IncrementalReader[At_contra]:
        """What reads tables beside the log."""


class Asked(Generic[At]):
    """The signals of one lane, and what they asked for.

    Attributes:
        work: what is left to do.
        figures: of an incremental snapshot that the signals of the last batch have ended, to be shown with it.

    """

    def __init__(self, settings: Settings, lane: Lane, progress: Progress, of_log: SignalledLog[At]) -> None:
        self._settings = settings
        self._lane = lane
        self._log = of_log
        work = Work.from_dict(progress.signalled)
        self.work = work.without([table for table in work.ids if not of_log.owns(table)])
        self._channels = SignalChannels(settings, work.marks, lanes=lane.count)
        self._notices = NotificationChannels(settings)
        self._reader: IncrementalReader[At] | None = None
        self._new_structures = self._goes_on = False
        self._shown = WorkFigures()
        self.figures: Told | None = None

    def close(self) -> None:
        """Let go of channels and server."""
        self._channels.close()
        if self._reader is not None:
            self._reader.close()

    def wait_ms(self, longest: int) -> int:
        """How long to wait for the log, so that the channels are looked into in time; after a chunk not at all."""
        if self._goes_on:
            return 0
        if self._reader is not None and self._is_reading:
            longest = self._reader.wait_ms(longest)
        return self._channels.wait_ms(longest)

    @property
    def ends_reading(self) -> bool:
        """Whether the log is to be left at the next boundary."""
        return self.work.blocking is not None or self._new_structures

    def handle(self, signals: Sequence[Signal], progress: Progress, batch: Batch) -> Progress:
        """Handle the signals of a batch and those that have come in by other ways; the progress with what is asked for."""
        here = self._surroundings(progress)
        self._goes_on = False
        self._shown.note_work(self.work)
        for signal in chain(signals, (received.signal for received in self._channels.poll())):
            effect = handled(signal, self.work, here)
            self.work = effect.work
            for database, change in effect.structures:
                self._take_structure(signal, database, change, progress, batch)
            self._tell(effect.notifications, progress, batch)
        self.work = replace(self.work, marks=self._channels.marks)
        self.figures = None if self.work.tables else self._shown.told(self.work)
        return replace(progress, signalled=self.work.to_dict())

    def step(self, at: At, *, at_head: bool) -> Iterator[LogBatch]:
        """Read a chunk at a boundary, if there is one to read."""
        if not self._is_reading:
            return
        if self._reader is None:
            self._reader = self._log.incremental_reader()
        done = self._reader.step(self.work, at)
        if done is None:
            return
        self._shown.note_work(self.work)
        self._shown.note_sizes(done.sizes)
        if done.rows:
            self._shown.note_chunk(self.work.tables[0].table, done.rows)
        self.work, self._goes_on = done.work, True
        progress = replace(at.progress, signalled=self.work.to_dict())
        events = list(done.events)
        told = self._notices.tell(done.notifications, progress.delivered, 0)
        events += [] if told is None else [told]
        figures = self._shown.told(self.work)
        yield LogBatch(events, progress, changes=done.rows, at_head=at_head, figures=figures)

    @property
    def _is_reading(self) -> bool:
        return bool(self.work.tables) and not self.work.paused

    def _surroundings(self, progress: Progress) -> Surroundings:
        return Surroundings(
            connector=self._settings.topic_prefix,
            is_first=self._lane.is_first,
            owns=self._log.owns,
            tables=self._log.tables,
            position=lambda: self._log.shown(progress),
        )

    def _take_structure(
        self, signal: Signal, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch
    ) -> None:
        try:
            self._new_structures |= self._log.take_structure(database, change, progress, batch)
        except StructureError as error:
            log.warning("the signal %r gives a structure that can't be read, and is left out: %s", signal.id, error)

    def _tell(self, notifications: Sequence[Notification], progress: Progress, batch: Batch) -> None:
        told = self._notices.tell(notifications, progress.delivered, batch.rank)
        if told is not None:
            batch.add(told)
