"""Schema-change events as records of the topic that is named after the prefix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tailrace.changes.records import Binary, Records
from tailrace.config.settings import Settings
from tailrace.connectors.shared.batches import Batch
from tailrace.encoding.connect_json import SCHEMA_SUFFIX, schema_prefix, value_json
from tailrace.events.shape import constant_headers
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


class SchemaChangeRecords:
    """Renders schema-change events."""

    def __init__(self, settings: Settings, source: Schema, connector: str, context: Mapping[str, bytes]) -> None:
        """`source` is the schema of the source block, `context` the headers that every record carries."""
        self._settings = settings
        self._context = context
        self._topic = Names(settings).schema_change_topic
        key, value = schema_change_schemas(source, connector, settings.tailrace_event_shape)
        self._key = _Message(key, with_schema=settings.key_converter_schemas_enable)
        self._value = _Message(value, with_schema=settings.value_converter_schemas_enable)

    def records(
        self,
        events: Sequence[SchemaEvent],
        sources: Sequence[Mapping[str, Any]],
        positions: Sequence[str],
        first: int,
        batch: Batch,
    ) -> Records:
        """The records of some events.

        Args:
            events: in order.
            sources: the source block of each.
            positions: the text of each one's position.
            first: the first one's rank among all records of the batch; the others follow.
            batch: the batch that they will be in.

        """
        count = len(events)
        now_ms, comments = batch.now_us // 1000, self._settings.include_schema_comments
        values = [
            schema_change_value(source, now_ms, event, comments=comments)
            for source, event in zip(sources, events, strict=True)
        ]
        return Records(
            topic=self._topic,
            keys=_binary([self._key.of(schema_change_key(event)) for event in events]),
            values=_binary([self._value.of(value) for value in values]),
            timestamps=np.full(count, now_ms, np.int64),
            positions=_binary([text.encode() for text in positions]),
            log_order=first + np.arange(count),
            partition=0,
            headers=tuple(constant_headers(self._context, count)),
        )


def source_times(time_us: int) -> dict[str, int]:
    """The source block's times of one moment, microseconds since the epoch."""
    return {"ts_ms": time_us // 1000, "ts_us": time_us, "ts_ns": time_us * 1000}


def _binary(texts: Sequence[bytes]) -> Binary:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)
