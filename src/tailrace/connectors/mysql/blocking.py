"""Blocking snapshots: tables are read as of one place in the log, which waits meanwhile.

The reading of the log has ended at a boundary P and begins there again. In between a lane's snapshot is read as an
initial one is, with the same waves and marks; how far it has come is kept with what signals asked for.

Before its rows the first lane tells the structures of all tables that the signal names, as it tells those of the log; it
does so also where the rows are other lanes'. They are in the commit that says that the snapshot has begun.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

from tailrace.changes.records import Records
from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, Progress
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.snapshots.named_structures import NamedStructures
from tailrace.connectors.mysql.snapshots.planning import part_of
from tailrace.connectors.mysql.snapshots.reading import snapshot_reader
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.overrides import with_signalled
from tailrace.connectors.shared.snapshots.reading import UNTOLD
from tailrace.connectors.shared.snapshots.watched import Watched
from tailrace.errors import ConfigError, SourceSetupError, StructureError, UnsupportedError
from tailrace.notifications.channels import NotificationChannels
from tailrace.notifications.snapshots import InitialSnapshot
from tailrace.schema.names import Names
from tailrace.schema.tables import TableId
from tailrace.signalled.work import BlockingWork, Work
from tailrace.snapshot.lane_part import LanePart

log = logging.getLogger(__name__)


class BlockingReader:
    """Reads the blocking snapshot that a lane's progress has, from where it says."""

    def __init__(
        self, settings: MySqlSettings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._settings = settings
        self._lane = lane
        self._progress = progress
        self._history = history
        self._work = Work.from_dict(progress.signalled)

    def batches(self) -> Iterator[LogBatch]:
        """Its batches; with the last one's progress nothing of it is left."""
        blocking = self._work.blocking
        if blocking is None:
            return
        try:
            yield from self._read(blocking)
        except (ConfigError, SourceSetupError, StructureError, UnsupportedError) as error:
            tables = ", ".join(map(str, blocking.tables))
            log.warning("the blocking snapshot of %s ends here, and the log goes on: %s", tables, error)
            told = NotificationChannels(self._settings).tell(
                [InitialSnapshot(self._settings.topic_prefix).aborted()], self._progress.delivered, 0
            )
            yield LogBatch([] if told is None else [told], self._reached(None), at_head=True)

    def _read(self, blocking: BlockingWork) -> Iterator[LogBatch]:
        structures = self._structures_of(blocking)
        if blocking.part is None:
            blocking = replace(blocking, tables=self._own(blocking.tables))
            if not blocking.tables:
                yield self._structures_alone(structures)
                return
        settings = with_signalled(self._settings, blocking.tables)
        if blocking.part is None:
            blocking = replace(blocking, part=self._begun(settings, blocking, structures))
            yield LogBatch(self._started(settings, blocking, structures), self._reached(blocking), at_head=True)
        progress = replace(self._progress, snapshot=blocking.part, signalled=None)
        lane, tables = Lane(self._lane.number, 1), sorted(blocking.tables)
        reader = snapshot_reader(
            settings, lane, progress, self._history, tables=tables, tell_structure=structures.tell_last
        )
        with closing(cast("Any", reader.batches())) as batches:
            for batch in batches:
                left = replace(blocking, part=batch.progress.snapshot) if batch.progress.snapshot_is_pending else None
                yield replace(batch, progress=self._reached(left))

    def _structures_alone(self, structures: NamedStructures) -> LogBatch:
        """What a lane tells that reads none of the tables."""
        batch = _new_batch()
        structures.tell_all(batch)
        return LogBatch(batch.records, self._reached(None), at_head=True)

    def _started(self, settings: MySqlSettings, blocking: BlockingWork, structures: NamedStructures) -> list[Records]:
        """What is told when it begins; each lane tells of its own tables as of a snapshot of its own."""
        lane, part, batch = Lane(self._lane.number, 1), blocking.part or {}, _new_batch()
        watched = Watched(settings, lane, self._progress.delivered)
        watched.begin(LanePart.from_dict(part).state, is_first_time=True, tables=lambda: sorted(blocking.tables))
        (structures.tell_first if part[UNTOLD] else structures.tell_all)(batch)
        return [*watched.started(), *batch.records]

    def _structures_of(self, blocking: BlockingWork) -> NamedStructures:
        """Those that this lane tells."""
        restart = RestartPosition.from_dict(self._progress.restart)
        told = blocking.structures if self._lane.is_first else ()
        return NamedStructures(self._settings, self._history, restart, told)

    def _own(self, tables: Mapping[TableId, str | None]) -> dict[TableId, str | None]:
        """Those that this lane delivers: it may have them from lanes of another layout."""
        names = Names(self._settings)
        return {table: text for table, text in tables.items() if self._lane.owns(names.topic(table))}

    def _begun(self, settings: MySqlSettings, blocking: BlockingWork, structures: NamedStructures) -> Mapping[str, Any]:
        """What is to be read, in the order of the tables' names; a lone lane holds the last structure back."""
        with connect(settings) as session:
            server = catalog.server(session)
            if not server.has_gtids:
                log.warning(
                    "the blocking snapshot is not proven to be exact: GTIDs are off. A row may be delivered as it was read, "
                    "and then again by the log"
                )
            restart = RestartPosition.from_dict(self._progress.restart)
            part = part_of(session, server, settings, sorted(blocking.tables), restart)
        return {"lanes": 1, **part, UNTOLD: self._lane.count == 1 and structures.are_told}

    def _reached(self, blocking: BlockingWork | None) -> Progress:
        return replace(self._progress, signalled=replace(self._work, blocking=blocking).to_dict())


def _new_batch() -> Batch:
    """One that is handled now."""
    return Batch(time.time_ns() // 1000)
