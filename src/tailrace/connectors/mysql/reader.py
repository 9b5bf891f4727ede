"""MySQL as a connector: where its log is, where to begin, and its changes as records."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, LogRange, Progress, StartPoint
from tailrace.connectors.mysql import catalog, checks, connection
from tailrace.connectors.mysql.beginning import first_history
from tailrace.connectors.mysql.ranges import Ranges
from tailrace.connectors.mysql.snapshots.planning import planned

log = logging.getLogger(__name__)


class MySqlConnector(Ranges):
    """One MySQL server, read with one configuration. Cheap to make; holds no connection."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            return catalog.head(session, server).restart(server).to_dict()

    def start_point(self, snapshot_lanes: int = 0) -> StartPoint:
        """The head of the log and the structures that hold there, as the first records of a schema history.

        Raises:
            SourceSetupError: the server is not set up for change data capture; the message names all that is missing.
            RetriableError: a snapshot can't begin now.

        """
        if snapshot_lanes:
            time.sleep(self.settings.snapshot_delay_ms / 1000)
        with connection.connect(self.settings) as session:
            for finding in checks.require(session, self.settings):
                log.warning("%s", finding)
            server = catalog.server(session)
            if snapshot_lanes:
                return planned(session, server, self.settings, snapshot_lanes)
            locking = self.settings.snapshot_locking_mode != "none"
            found = catalog.structures(session, server, self.settings.tables.matches, locking=locking)
        restart = replace(found.head.restart(server), initial=self.settings.include_schema_changes)
        return StartPoint(restart.to_dict(), first_history(self.settings, server, restart, found))

    def snapshot(self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """A lane's part of the snapshot that its progress names, from where it says; the last batch says that it is done."""
        from tailrace.connectors.mysql.snapshots.reading import SnapshotReader  # as below

        return SnapshotReader(self.settings, lane, progress, history).batches()

    def read(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out."""
        from tailrace.connectors.mysql.streaming import LogReader  # the decoders: a planner asks only for the head

        return LogReader(self.settings, range_, progress, history).batches()
