"""What signals want of the one who reads the log.

They are handled with the batch that they come in, and chunks of tables are read between batches.

Signals of the signal table come through the log, those of a file or a Kafka topic are looked for now and then. What they
ask for is kept with the progress of the batch. A blocking snapshot, and structures that a signal gives, end the reading
at the next boundary: whoever reads on begins there with what the progress and the history have.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import Lane, LogBatch, Progress
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.positions import RestartPosition, shown
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.mysql.snapshots.visibility import Boundary
from tailrace.connectors.shared.batches import Batch
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

if TYPE_CHECKING:
    from tailrace.connectors.mysql.snapshots.incremental import IncrementalReader

log = logging.getLogger(__name__)


class Asked:
    """The signals of one lane, and what they asked for.

    Attributes:
        work: what is left to do.
        figures: of an incremental snapshot that the signals of the last batch have ended, to be shown with it.

    """

    def __init__(
        self, settings: MySqlSettings, lane: Lane, progress: Progress, tables: CapturedTables, definitions: Definitions
    ) -> None:
        self._settings = settings
        self._lane = lane
        self._tables = tables
        self._definitions = definitions
        work = Work.from_dict(progress.signalled)
        self.work = work.without([table for table in work.ids if not tables.owns(table)])
        self._channels = SignalChannels(settings, work.marks, lanes=lane.count)
        self._notices = NotificationChannels(settings)
        self._reader: IncrementalReader | None = None
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
        return 0 if self._goes_on else self._channels.wait_ms(longest)

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

    def step(self, at: Boundary, *, at_head: bool) -> Iterator[LogBatch]:
        """Read a chunk at a boundary, if there is one to read."""
        if not self.work.tables or self.work.paused:
            return
        if self._reader is None:
            from tailrace.connectors.mysql.snapshots.incremental import IncrementalReader  # rarely needed

            self._reader = IncrementalReader(self._settings, self._lane)
        done = self._reader.step(self.work, at)
        if done is None:
            return
        self._shown.note_work(self.work)
        self._shown.note_sizes(done.sizes)
        if done.rows:
            self._shown.note_chunk(self.work.tables[0].table, done.rows)
        self.work, self._goes_on = done.work, True
        progress = replace(at.progress, signalled=self.work.to_dict())
        records = list(done.records)
        told = self._notices.tell(done.notifications, progress.delivered, 0)
        records += [] if told is None else [told]
        figures = self._shown.told(self.work)
        yield LogBatch(records, progress, changes=done.rows, at_head=at_head, figures=figures)

    def _surroundings(self, progress: Progress) -> Surroundings:
        return Surroundings(
            connector=self._settings.topic_prefix,
            is_first=self._lane.is_first,
            owns=self._tables.owns,
            tables=self._captured,
            position=lambda: shown(progress.restart),
        )

    def _captured(self) -> list[TableId]:
        """The tables whose rows may be asked for."""
        structures = self._definitions.structures
        return [table for table in structures if is_captured(self._settings, table, lower_names=structures.lower_names)]

    def _take_structure(self, signal: Signal, database: str, change: Any, progress: Progress, batch: Batch) -> None:
        try:
            self._definitions.take(database, change, RestartPosition.from_dict(progress.restart), batch)
        except StructureError as error:
            log.warning("the signal %r gives a structure that can't be read, and is left out: %s", signal.id, error)
            return
        self._new_structures = True

    def _tell(self, notifications: Sequence[Notification], progress: Progress, batch: Batch) -> None:
        told = self._notices.tell(notifications, progress.delivered, batch.rank)
        if told is not None:
            batch.add(told)
