"""Schema change events, for the schema change topic, which is named after `topic.prefix`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailrace.changes.layouts import Layout, layout_of_values, values_by_field
from tailrace.changes.outline import Outline
from tailrace.changes.records import binary_of
from tailrace.changes.source_records import EventKind, Objects, SourceHeader, SourceRecords, every_record
from tailrace.config.settings import Settings
from tailrace.events.shape import constant_headers
from tailrace.schema.changes_topic import SchemaEvent, schema_change_key, schema_change_schemas, schema_change_value
from tailrace.schema.connect import Schema
from tailrace.schema.names import Names

_COLUMN_BYTES, _SOURCE_BYTES = 300, 400  # estimates, of a column's and of the source block's JSON


class SchemaChangeLayouts:
    """The topic and the layouts of schema changes."""

    def __init__(self, settings: Settings, source: Schema, connector: str, context: Mapping[str, str]) -> None:
        """`source` is the schema of the source block, `context` are the headers of every record."""
        self.topic = Names(settings).schema_change_topic
        self.comments = settings.include_schema_comments
        key, value = schema_change_schemas(source, connector, settings.tailrace_event_shape)
        self.key: Layout = layout_of_values(key, 0, 0)
        self.value: Layout = layout_of_values(value, len(key.fields), 0)
        self.headers: tuple[SourceHeader, ...] = constant_headers(context)


@dataclass(frozen=True, slots=True)
class SchemaChanges:
    """An `Event`: the structures that one statement changed, or with which a connector begins.

    Attributes:
        layouts: of the records.
        events: in order.
        sources: the source block of each event.
        positions: the text of each event's position.
        first: the first event's rank among all records of the batch; the others follow.
        now_us: the processing time, microseconds since the epoch.

    """

    layouts: SchemaChangeLayouts
    events: Sequence[SchemaEvent]
    sources: Sequence[Mapping[str, Any]]
    positions: Sequence[str]
    first: int
    now_us: int

    def __len__(self) -> int:
        return len(self.events)

    def outline(self) -> Outline:
        """What is known of their size."""
        tables = (change.table for event in self.events for change in event.changes if change.table is not None)
        content = sum(len(event.ddl) for event in self.events) + sum(_COLUMN_BYTES * len(table.columns) for table in tables)
        content += _SOURCE_BYTES * len(self)
        return Outline(len(self), self.layouts.key, self.layouts.value, content, content)

    def source_records(self) -> SourceRecords:
        """A record for each."""
        n, now_ms, layouts = len(self), self.now_us // 1000, self.layouts
        values = [
            schema_change_value(source, now_ms, event, comments=layouts.comments)
            for source, event in zip(self.sources, self.events, strict=True)
        ]
        keys = [schema_change_key(event) for event in self.events]
        fields = [*values_by_field(layouts.key.schema, keys), *values_by_field(layouts.value.schema, values)]
        return SourceRecords(
            kind=EventKind.SCHEMA_CHANGE,
            topic=layouts.topic,
            key=layouts.key,
            value=layouts.value,
            columns=[Objects(each) for each in fields],
            roles=every_record(n),
            timestamps=np.full(n, now_ms, np.int64),
            positions=binary_of([text.encode() for text in self.positions]),
            log_order=self.first + np.arange(n),
            headers=layouts.headers,
            partition=0,
        )
