"""MySQL as a connector: where its log is, where to begin, and its changes as records."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress, StartPoint
from tailrace.connectors.mysql import catalog, checks, connection
from tailrace.connectors.mysql.beginning import first_history
from tailrace.connectors.mysql.ranges import Ranges

log = logging.getLogger(__name__)


class MySqlConnector(Ranges):
    """One MySQL server, read with one configuration. Cheap to make; holds no connection."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            return catalog.head(session, server).restart(server).to_dict()

    def start_point(self) -> StartPoint:
        """The head of the log and the structures that hold there, as the first records of a schema history.

        Raises:
            SourceSetupError: the server is not set up for change data capture; the message names all that is missing.

        """
        with connection.connect(self.settings) as session:
            for finding in checks.require(session, self.settings):
                log.warning("%s", finding)
            server = catalog.server(session)
            locking = self.settings.snapshot_locking_mode != "none"
            found = catalog.structures(session, server, self.settings.tables.matches, locking=locking)
        restart = replace(found.head.restart(server), initial=self.settings.include_schema_changes)
        return StartPoint(restart.to_dict(), first_history(self.settings, server, restart, found))

    def read(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out."""
        from tailrace.connectors.mysql.streaming import LogReader  # the decoders: a planner asks only for the head

        return LogReader(self.settings, range_, progress, history).batches()
