"""The MySQL side of blocking snapshots.

The keys of tables are looked up now, and the log is read up to P. If a statement in between may have made one of them, it was
no key at P: then the log goes on first, to where it was when the keys were looked up.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.signal_sql import MYSQL
from tailrace.connectors.mysql.snapshots.named_structures import NamedStructures
from tailrace.connectors.mysql.snapshots.planning import part_of
from tailrace.connectors.mysql.snapshots.snapshot_reader import snapshot_reader
from tailrace.connectors.shared.blocking import BlockingReader, StructureEvents
from tailrace.connectors.shared.signal_sql import Dialect
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.schema.tables import TableId

log = logging.getLogger(__name__)


class MySqlBlocking:
    """A `BlockingDatabase` over one server, for the blocking snapshots of one process."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings
        self._wait_for: RestartPosition | None = None

    def blocking_reader(
        self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
    ) -> BlockingReader[MySqlSettings]:
        """The reader of the blocking snapshot in a lane's progress."""
        return BlockingReader(self._settings, lane, progress, history, self)

    @property
    def dialect(self) -> Dialect:
        """The dialect of a signal's statements."""
        return MYSQL

    def structures(
        self, progress: Progress, history: Sequence[HistoryRecord], tables: Sequence[TableId]
    ) -> NamedStructures:
        """The structures of these tables as of a progress."""
        return NamedStructures(self._settings, history, RestartPosition.from_dict(progress.restart), tables)

    def part(self, settings: MySqlSettings, tables: Sequence[TableId], progress: Progress) -> Mapping[str, Any] | None:
        """The plan to read these tables, in their order; None: the log goes on first."""
        restart = RestartPosition.from_dict(progress.restart)
        if restart.is_before(self._wait_for):
            return None
        with connect(settings) as session:
            server = catalog.server(session)
            if not server.has_gtids:
                log.warning(
                    "the blocking snapshot is not proven to be exact: GTIDs are off. A row may be delivered as it was read, "
                    "and then again by the log"
                )
            part = part_of(session, server, settings, tables, restart)
            if part is None:
                self._wait_for = catalog.head(session, server).restart(server, restart.era)
            return part

    def reader(
        self,
        settings: MySqlSettings,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        tables: Sequence[TableId],
        structures: StructureEvents,
    ) -> SnapshotReader:
        """The reader of these tables."""
        return snapshot_reader(settings, lane, progress, history, tables=tables, add_structure=structures.add_last)
