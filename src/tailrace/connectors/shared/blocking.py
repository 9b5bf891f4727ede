"""Blocking snapshots: tables are read as of one log position, while the log waits.

Reading of the log has ended at a boundary P, and resumes there. Meanwhile the lane's snapshot is read like an initial
one, with the same waves and marks. How far it has come is stored with the requested work.

Before its rows, the first lane delivers the schema-change events of all tables that the signal names, as it delivers
those of the log, even if other lanes read the rows. They are in the commit that says that the snapshot has begun.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, cast

from tailrace import epoch
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, Progress
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.signal_sql import Dialect
from tailrace.connectors.shared.snapshots.monitoring import SnapshotMonitor
from tailrace.connectors.shared.snapshots.overrides import with_statements_of_signal
from tailrace.connectors.shared.snapshots.snapshot_reader import NOT_ANNOUNCED, SnapshotReader
from tailrace.errors import ConfigError, PositionLostError, SourceSetupError, StructureError, UnsupportedError
from tailrace.events.event import Event, NewEvents
from tailrace.notifications.channels import NotificationChannels
from tailrace.notifications.snapshots import InitialSnapshot
from tailrace.requested_work.work import BlockingWork, Work
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.source import Mark

_Settings = TypeVar("_Settings", bound=Settings)
_Settings_contra = TypeVar("_Settings_contra", bound=Settings, contravariant=True)

log = logging.getLogger(__name__)


class StructureEvents(Protocol):
    """The schema-change events of the tables that a signal names, as of P."""

    @property
    def has_any(self) -> bool:
        """Whether there are any."""

    def add_all(self, batch: Batch) -> None:
        """Add all of them, if their mark does not depend on the rows that follow."""

    def add_first(self, batch: Batch) -> None:
        """Add all but the last one."""

    def add_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last one, with its mark."""


class BlockingDatabase(Protocol[_Settings_contra]):
    """What a blocking snapshot needs from a connector."""

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of a signal's statements."""

    def structures(
        self, progress: Progress, history: Sequence[HistoryRecord], tables: Sequence[TableId]
    ) -> StructureEvents:
        """The schema-change events of these tables as of a progress."""

    def part(
        self, settings: _Settings_contra, tables: Sequence[TableId], progress: Progress
    ) -> Mapping[str, Any] | None:
        """The state with which a lane begins that reads all of these tables as of a progress; None: the log goes on first."""

    def reader(
        self,
        settings: _Settings_contra,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        tables: Sequence[TableId],
        structures: StructureEvents,
    ) -> SnapshotReader:
        """The reader of the tables; it adds the last one of `structures` if that was held back."""


class BlockingReader(Generic[_Settings]):
    """Reads the blocking snapshot in a lane's progress, from where that says."""

    def __init__(
        self,
        settings: _Settings,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        database: BlockingDatabase[_Settings],
    ) -> None:
        self._settings = settings
        self._lane = lane
        self._progress = progress
        self._history = history
        self._database = database
        self._work = Work.from_dict(progress.signalled)

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """Its batches; in the progress of the last one the snapshot is gone. None, if it can't be as of this progress."""
        blocking = self._work.blocking
        if blocking is None:
            return
        try:
            yield from self._read(blocking, new_events)
        except (ConfigError, PositionLostError, SourceSetupError, StructureError, UnsupportedError) as error:
            # What a signal brought can't be corrected by a restart: an error would stop the connector again and again.
            tables = ", ".join(map(str, blocking.tables))
            log.warning("the blocking snapshot of %s ends here, and the log goes on: %s", tables, error)
            told = NotificationChannels(self._settings).send(
                [InitialSnapshot(self._settings.topic_prefix).aborted()], self._progress.delivered, 0
            )
            # Its progress no longer has the snapshot, so the log continues from P.
            yield LogBatch([] if told is None else [told], self._reached(None), at_head=True)

    def _read(self, blocking: BlockingWork, new_events: NewEvents) -> Iterator[LogBatch]:
        told = blocking.structures if self._lane.is_first else ()
        structures = self._database.structures(self._progress, self._history, told)
        if blocking.part is None:
            # The tables are reduced to this lane's only now: before it has begun, the work may move to another layout
            # of lanes.
            blocking = replace(blocking, tables=self._own(blocking.tables))
            if not blocking.tables:
                yield self._structures_alone(structures)
                return
        settings = with_statements_of_signal(self._settings, blocking.tables, self._database.dialect)
        tables = sorted(blocking.tables)
        if blocking.part is None:
            part = self._database.part(settings, tables, self._progress)
            if part is None:
                return
            # The mark of the last structure event says whether rows follow. Only a lane that is alone knows that.
            held = self._lane.count == 1 and structures.has_any
            blocking = replace(blocking, part={"lanes": 1, **part, NOT_ANNOUNCED: held})
            yield LogBatch(self._started(settings, blocking, structures), self._reached(blocking), at_head=True)
        # To the reader it is a snapshot of a single lane. Each lane reads its own tables as of its own P, so their
        # snapshots are independent.
        progress = replace(self._progress, snapshot=blocking.part, signalled=None)
        lane = Lane(self._lane.number, 1)
        reader = self._database.reader(settings, lane, progress, self._history, tables, structures)
        with closing(cast("Any", reader.batches(new_events))) as batches:
            for batch in batches:
                left = replace(blocking, part=batch.progress.stored_snapshot) if batch.progress.snapshot_is_pending else None
                yield replace(batch, progress=self._reached(left))

    def _structures_alone(self, structures: StructureEvents) -> LogBatch:
        """The batch of a lane that reads none of the tables."""
        batch = _new_batch()
        structures.add_all(batch)
        return LogBatch(batch.events, self._reached(None), at_head=True)

    def _started(self, settings: _Settings, blocking: BlockingWork, structures: StructureEvents) -> list[Event]:
        """The notifications and schema-change events at the beginning; each lane notifies of its own tables."""
        lane, part, batch = Lane(self._lane.number, 1), blocking.part or {}, _new_batch()
        watched = SnapshotMonitor(settings, lane, self._progress.delivered)
        watched.begin(LanePart.from_dict(part).state, is_first_time=True, tables=lambda: sorted(blocking.tables))
        (structures.add_first if part[NOT_ANNOUNCED] else structures.add_all)(batch)
        return [*watched.started(), *batch.events]

    def _own(self, tables: Mapping[TableId, str | None]) -> dict[TableId, str | None]:
        """Those that this lane delivers: work from lanes of another layout names further tables."""
        names = Names(self._settings)
        return {table: text for table, text in tables.items() if names.is_of(self._lane, table)}

    def _reached(self, blocking: BlockingWork | None) -> Progress:
        return replace(self._progress, signalled=replace(self._work, blocking=blocking).to_dict())


def _new_batch() -> Batch:
    """An empty batch, processed now."""
    return Batch(epoch.now_us())
