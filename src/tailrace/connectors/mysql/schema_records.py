"""Schema-change events of MySQL: their source block and their positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.positions import BinlogPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.source_blocks import source_times
from tailrace.events.schema_changes import SchemaChangeLayouts, SchemaChanges
from tailrace.schema.changes_topic import SchemaEvent

__all__ = ["SchemaEventRecords", "source_of"]


class SchemaEventRecords:
    """Makes schema-change events."""

    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings
        source, context = source_block.schema(settings), source_block.context(settings)
        self._layouts = SchemaChangeLayouts(settings, source, source_block.CONNECTOR, context)

    def records(
        self, events: Sequence[SchemaEvent], source: Mapping[str, Any], position: BinlogPosition, batch: Batch
    ) -> SchemaChanges:
        """The events of one statement, or of the structures that a connector begins with.

        Args:
            events: what it made, in order.
            source: the source block's fields that vary.
            position: of the statement's first event; its events are numbered like rows.
            batch: the batch that they will be in.

        """
        sources = [self._source_of(event, source) for event in events]
        texts = [str(replace(position, row=position.row + i)) for i in range(len(events))]
        first = (batch.rank << 32) + position.row
        return SchemaChanges(self._layouts, events, sources, texts, first, batch.now_us)

    def _source_of(self, event: SchemaEvent, given: Mapping[str, Any]) -> dict[str, Any]:
        constants = source_block.constants(self._settings, event.database, event.source_table)
        source = {**constants, **given, "row": 0, "thread": None, "query": None}
        if source_block.snapshot_is_flag(self._settings):
            source["snapshot"] = given["snapshot"] is not None
        return source


def source_of(query: Query) -> dict[str, Any]:
    """The source block's fields that a statement gives; its time has milliseconds only, as in Debezium."""
    named_us = (
        query.transaction.original_us if query.transaction.gtid else 0
    )  # of an anonymous one Debezium sees seconds
    ts_ms = named_us // 1000 or query.timestamp * 1000
    return {
        **source_times(ts_ms * 1000),
        "gtid": query.transaction.gtid,
        "file": query.file,
        "pos": query.start,
        "server_id": query.server_id,
        "snapshot": None,
    }
