"""Schema-change events as records of the topic that is named after the prefix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tailrace.changes.records import Binary, Records
from tailrace.changes.shape import constant_headers
from tailrace.config.settings import Settings
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.positions import BinlogPosition
from tailrace.encoding.connect_json import message_json
from tailrace.schema.changes_topic import SchemaEvent, schema_change_key, schema_change_schemas, schema_change_value
from tailrace.schema.names import Names


class SchemaEventRecords:
    """Renders schema-change events."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = Names(settings).schema_change_topic
        self._key, self._value = schema_change_schemas(source_block.schema(settings))

    def records(
        self, events: Sequence[SchemaEvent], source: Mapping[str, Any], position: BinlogPosition, batch: Batch
    ) -> Records:
        """The records of one statement, or of the structures that a connector begins with.

        Args:
            events: what it made, in order.
            source: the source block's fields that vary.
            position: of the statement; its events are numbered like rows.
            batch: the batch that they will be in.

        """
        settings, count = self._settings, len(events)
        values = [self._value_of(event, source, batch.now_us) for event in events]
        with_key, with_value = settings.key_converter_schemas_enable, settings.value_converter_schemas_enable
        texts = [str(BinlogPosition(position.era, position.file, position.pos, i)) for i in range(count)]
        return Records(
            topic=self._topic,
            keys=_binary([message_json(self._key, schema_change_key(e), with_schema=with_key) for e in events]),
            values=_binary([message_json(self._value, value, with_schema=with_value) for value in values]),
            timestamps=np.full(count, batch.now_us // 1000, np.int64),
            positions=_binary([text.encode() for text in texts]),
            log_order=(batch.rank << 32) + np.arange(count),
            partition=0,
            headers=tuple(constant_headers(source_block.context(self._settings), len(events))),
        )

    def _value_of(self, event: SchemaEvent, given: Mapping[str, Any], now_us: int) -> dict[str, Any]:
        constants = source_block.constants(self._settings, event.database, event.source_table)
        times = {"ts_us": given["ts_ms"] * 1000, "ts_ns": given["ts_ms"] * 1_000_000}
        source = {**constants, **given, **times, "row": 0, "thread": None, "query": None}
        return schema_change_value(source, now_us // 1000, event, comments=self._settings.include_schema_comments)


def source_of(query: Query) -> dict[str, Any]:
    """The source block's fields that a statement gives; its time has milliseconds only, as in Debezium."""
    named_us = query.transaction.original_us if query.transaction.gtid else 0  # of an anonymous one Debezium sees seconds
    ts_ms = named_us // 1000 or query.timestamp * 1000
    return {
        "ts_ms": ts_ms,
        "gtid": query.transaction.gtid,
        "file": query.file,
        "pos": query.start,
        "server_id": query.server_id,
        "snapshot": None,
    }


def _binary(texts: Sequence[bytes]) -> Binary:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)
