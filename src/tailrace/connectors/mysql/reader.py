"""MySQL as a connector: where its log is, where to begin, and its changes as records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress, StartPoint
from tailrace.connectors.mysql import catalog, connection
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.ranges import Ranges
from tailrace.connectors.mysql.streaming import LogReader
from tailrace.schema.changes_topic import schema_events
from tailrace.schema.history import HistoryFile, history_record
from tailrace.schema.structures import Structures


class MySqlConnector(Ranges):
    """One MySQL server, read with one configuration. Cheap to make; holds no connection."""

    def head(self) -> Mapping[str, Any]:
        """The newest position of the log, at a transaction boundary."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            return catalog.head(session, server).restart(server).to_dict()

    def start_point(self) -> StartPoint:
        """The head of the log and the structures that hold there, as the first records of a schema history."""
        with connection.connect(self.settings) as session:
            server = catalog.server(session)
            locking = self.settings.snapshot_locking_mode != "none"
            found = catalog.structures(session, server, self.settings.tables.matches, locking=locking)
        restart = found.head.restart(server)
        return StartPoint(restart.to_dict(), first_history(self.settings, server, restart, found))

    def read(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out."""
        return LogReader(self.settings, range_, progress, history).batches()


def first_history(
    settings: Settings, server: Server, restart: RestartPosition, found: catalog.Structures
) -> list[HistoryRecord]:
    """The structures that a connector begins with, as history records at its starting position."""
    structures = Structures(lower_names=server["lower_case_table_names"] not in {"", "0"})
    charset, collation = server["character_set_server"], server["collation_server"]
    statements = [("", f"SET character_set_server={charset}, collation_server={collation}")]
    statements += list(found.databases.items())
    statements += [(table.catalog, ddl) for table, ddl in found.tables.items()]
    position: dict[str, Any] = {"file": restart.file, "pos": restart.pos, "snapshot": True}
    if restart.gtids is not None:
        position["gtids"] = restart.gtids
    records: list[HistoryRecord] = []
    for database, ddl in statements:
        events = schema_events(database, ddl, structures.apply(database, ddl, at="the server's catalog"))
        records += [
            history_record({"server": settings.topic_prefix}, position, time.time_ns() // 1_000_000, event)
            for event in events
        ]
    return records
