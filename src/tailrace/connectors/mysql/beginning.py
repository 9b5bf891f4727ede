"""The first records of a schema history: the structures that a connector begins with."""

from __future__ import annotations

import time
from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.schema.changes_topic import schema_events
from tailrace.schema.history import history_record
from tailrace.schema.structures import Structures


def first_history(
    settings: Settings, server: Server, restart: RestartPosition, found: catalog.Structures
) -> list[HistoryRecord]:
    """The structures found, as history records at a connector's restart position."""
    structures = Structures(lower_names=server.lower_names)
    charset, collation = server["character_set_server"], server["collation_server"]
    statements = [("", f"SET character_set_server={charset}, collation_server={collation}")]
    statements += list(found.databases.items())
    statements += [(table.catalog, ddl) for table, ddl in found.tables.items()]
    position: dict[str, Any] = {"file": restart.file, "pos": restart.pos, "snapshot": True}
    if restart.gtids is not None:
        position["gtids"] = restart.gtids
    source, now_ms = {"server": settings.topic_prefix}, time.time_ns() // 1_000_000
    return [
        history_record(source, position, now_ms, event, comments=settings.include_schema_comments)
        for database, ddl in statements
        for event in schema_events(database, ddl, structures.apply(database, ddl, at="the server's catalog"))
    ]
