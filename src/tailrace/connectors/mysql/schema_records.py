"""Schema-change events as records of the topic that is named after the prefix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tailrace.changes.records import Binary, Records
from tailrace.changes.shape import constant_headers
from tailrace.config.settings import Settings
from tailrace.connectors.mysql import source_block
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.log import Query
from tailrace.connectors.mysql.positions import BinlogPosition
from tailrace.encoding.connect_json import SCHEMA_SUFFIX, schema_prefix, value_json
from tailrace.schema.changes_topic import SchemaEvent, schema_change_key, schema_change_schemas, schema_change_value
from tailrace.schema.connect import Schema
from tailrace.schema.names import Names


class _Message:
    """Renders values of a schema, whose own text is the same for all."""

    def __init__(self, schema: Schema, *, with_schema: bool) -> None:
        self._schema = schema
        self._before, self._behind = (schema_prefix(schema), SCHEMA_SUFFIX) if with_schema else (b"", b"")

    def of(self, value: Mapping[str, Any]) -> bytes:
        """A whole message."""
        return self._before + value_json(self._schema, value) + self._behind


class SchemaEventRecords:
    """Renders schema-change events."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._topic = Names(settings).schema_change_topic
        key, value = schema_change_schemas(source_block.schema(settings))
        self._key = _Message(key, with_schema=settings.key_converter_schemas_enable)
        self._value = _Message(value, with_schema=settings.value_converter_schemas_enable)

    def records(
        self, events: Sequence[SchemaEvent], source: Mapping[str, Any], position: BinlogPosition, batch: Batch
    ) -> Records:
        """The records of one statement, or of the structures that a connector begins with.

        Args:
            events: what it made, in order.
            source: the source block's fields that vary.
            position: of the statement's first event; its events are numbered like rows.
            batch: the batch that they will be in.

        """
        count = len(events)
        texts = [str(replace(position, row=position.row + i)) for i in range(count)]
        return Records(
            topic=self._topic,
            keys=_binary([self._key.of(schema_change_key(event)) for event in events]),
            values=_binary([self._value.of(self._value_of(event, source, batch.now_us)) for event in events]),
            timestamps=np.full(count, batch.now_us // 1000, np.int64),
            positions=_binary([text.encode() for text in texts]),
            log_order=(batch.rank << 32) + position.row + np.arange(count),
            partition=0,
            headers=tuple(constant_headers(source_block.context(self._settings), count)),
        )

    def _value_of(self, event: SchemaEvent, given: Mapping[str, Any], now_us: int) -> dict[str, Any]:
        constants = source_block.constants(self._settings, event.database, event.source_table)
        source = {**constants, **given, "row": 0, "thread": None, "query": None}
        if self._settings.tailrace_event_shape == source_block.SHAPE_2_1:
            source["snapshot"] = given["snapshot"] is not None
        return schema_change_value(source, now_us // 1000, event, comments=self._settings.include_schema_comments)


def source_of(query: Query) -> dict[str, Any]:
    """The source block's fields that a statement gives; its time has milliseconds only, as in Debezium."""
    named_us = query.transaction.original_us if query.transaction.gtid else 0  # of an anonymous one Debezium sees seconds
    ts_ms = named_us // 1000 or query.timestamp * 1000
    return {
        **source_times(ts_ms * 1000),
        "gtid": query.transaction.gtid,
        "file": query.file,
        "pos": query.start,
        "server_id": query.server_id,
        "snapshot": None,
    }


def source_times(time_us: int) -> dict[str, int]:
    """The source block's times of one moment, microseconds since the epoch."""
    return {"ts_ms": time_us // 1000, "ts_us": time_us, "ts_ns": time_us * 1000}


def _binary(texts: Sequence[bytes]) -> Binary:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)
