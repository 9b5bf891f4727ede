"""EventRouter: rows of an outbox table become the events that they tell of.

Each new row is an event: one of its columns becomes the value, another the key, a third decides the topic, and further ones
become headers or fields beside the payload (`outbox_placement`). Deletes and tombstones are dropped.

The topic follows from a column in any case, so one lane delivers everything. Where the replacement names no group all events
have one topic, which has one lane as well.

Source: Debezium's reference, "Outbox Event Router"; comparison with the real one (tests/formats/test_event_router.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import numpy.typing as npt

from tailrace.changes.envelopes import is_envelope
from tailrace.changes.field_paths import Path, nulls_of, path_to, texts, values_are_null
from tailrace.changes.grouping import groups
from tailrace.changes.layout_edits import Edits, with_columns
from tailrace.changes.source_records import SourceRecords
from tailrace.java_replacements import replacing, whole_replaced
from tailrace.schema.names import field_name_adjuster
from tailrace.transforms.outbox_json import JsonSchemas
from tailrace.transforms.outbox_layouts import OutboxColumns, OutboxLayouts, ValueForm
from tailrace.transforms.outbox_payload import Expanded, PayloadExpander, blank, unexpanded
from tailrace.transforms.outbox_placement import placements
from tailrace.transforms.outbox_properties import OUTBOX_PROPERTIES
from tailrace.transforms.outbox_values import coded_numbers, event_times
from tailrace.transforms.spec import ByContent, Making, Options, Topics, TransformSpec
from tailrace.transforms.tracing_properties import TRACING_PROPERTIES, without_tracing

log = logging.getLogger(__name__)


class EventRouter:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(
        self,
        making: Making,
        *,
        table_field_event_id: str,
        table_field_event_key: str,
        table_field_event_type: str,  # noqa: ARG002 - Debezium has the property and does nothing with it
        table_field_event_timestamp: str,
        table_field_event_payload: str,
        table_field_event_schema_version: str,
        table_fields_additional_placement: tuple[str, ...],
        table_field_additional_missing: str,
        table_expand_json_payload: bool,
        table_json_payload_null_behavior: str,
        table_op_invalid_behavior: str,
        route_by_field: str,
        route_topic_regex: str,
        route_topic_replacement: str,
        route_tombstone_on_empty_payload: bool,
        field_name_adjustment_mode: str,
    ) -> None:
        replacing(route_topic_regex, route_topic_replacement)
        self._failures = making.failures
        self._updates = table_op_invalid_behavior
        self._route = route_topic_regex, route_topic_replacement
        self._tombstones = route_tombstone_on_empty_payload
        self._expands = table_expand_json_payload
        schemas = JsonSchemas(
            nulls_as_bytes=table_json_payload_null_behavior == "optional_bytes",
            adjust=field_name_adjuster(field_name_adjustment_mode),
        )
        self._expander = PayloadExpander(table_field_event_payload, schemas)
        self._columns = OutboxColumns(
            id=table_field_event_id,
            key=table_field_event_key,
            payload=table_field_event_payload,
            timestamp=table_field_event_timestamp,
            version=table_field_event_schema_version,
            route=route_by_field,
            placements=placements(table_fields_additional_placement),
            ignores_missing=table_field_additional_missing == "ignore",
        )
        self._layouts = Edits(lambda layout: OutboxLayouts(layout, self._columns))

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The events, by topic and schema; what has no envelope stays as it is."""
        records = records.where(~values_are_null(records))
        if not len(records) or not is_envelope(records.value.schema):
            return (records,) if len(records) else ()
        return list(self._routed(self._new_rows(records)))

    def _new_rows(self, records: SourceRecords) -> SourceRecords:
        """The records without updates and deletes."""
        op = path_to(records.value.root, ("op",))
        if op is None:
            return self._failures.all_of(records, "its envelope has no op")
        codes, places = texts(records, op)
        ops = np.array([code or "" for code in codes])[places]
        updates = ops == "u"
        if updates.any():
            if self._updates == "fatal":
                return self._new_rows(self._failures.without(records, updates, "a row of an outbox table was updated"))
            level = logging.WARNING if self._updates == "warn" else logging.ERROR
            log.log(level, "%s: %d updates of rows of an outbox table are dropped", records.topic, np.count_nonzero(updates))
        return records.where(~updates & (ops != "d"))

    def _routed(self, records: SourceRecords) -> Iterator[SourceRecords]:
        if not len(records):
            return
        layouts = self._layouts.of(records.value)
        if layouts.problem:
            self._failures.all_of(records, layouts.problem)
            return
        records = self._failures.without(records, nulls_of(records, layouts.after), "there is no row after the change")
        route = layouts.path(self._columns.route)
        records = self._failures.without(records, nulls_of(records, route), "the column of route.by.field is null")
        timestamp = layouts.path(self._columns.timestamp) if self._columns.timestamp else None
        processed = cast("Path", path_to(records.value.root, ("ts_ms",)))
        records, times = event_times(records, processed, timestamp, self._failures)
        payloads = self._payloads(records, layouts)
        if payloads.failed.any():
            fit = ~payloads.failed
            records = self._failures.without(records, ~fit, "the items of an array in its payload are not alike, or it is one")
            times, payloads = times[fit], payloads.where(fit)
        if len(records):
            yield from self._grouped(records, layouts, times, payloads)

    def _payloads(self, records: SourceRecords, layouts: OutboxLayouts) -> Expanded:
        if not self._expands or not len(records):
            return unexpanded(len(records))
        return self._expander.expanded(records, layouts.payload)

    def _grouped(
        self, records: SourceRecords, layouts: OutboxLayouts, times: npt.NDArray[np.int64], payloads: Expanded
    ) -> Iterator[SourceRecords]:
        routes, of_route = texts(records, layouts.path(self._columns.route))
        partitions, of_partition = coded_numbers(records, layouts.partition)
        versions, of_version = coded_numbers(records, layouts.version)
        live = ~blank(records, layouts.payload) if self._tombstones else np.ones(len(records), np.bool_)
        for chosen in groups([of_route, of_partition, of_version, payloads.codes]):
            first = int(chosen[0])
            route = routes[of_route[first]] or ""
            form = ValueForm(route if layouts.is_struct else "", versions[of_version[first]])
            made, form = _with_payload(records.take(chosen), form, payloads, chosen)
            yield self._under_topic(
                route,
                replace(
                    made,
                    key=layouts.key(),
                    value=layouts.value(form),
                    headers=(*made.headers, *layouts.headers()),
                    timestamps=times[chosen],
                    partition=partitions[of_partition[first]],
                    has_key=None,
                    has_value=None if live[chosen].all() else live[chosen],
                ),
            )

    def _under_topic(self, route: str, records: SourceRecords) -> SourceRecords:
        topic = whole_replaced(*self._route, route)
        topic = route if topic is None else topic
        if not topic:
            return self._failures.all_of(records, "route.topic.replacement leaves nothing of the topic's name")
        return replace(records, topic=topic)


def _with_payload(
    records: SourceRecords, form: ValueForm, payloads: Expanded, chosen: npt.NDArray[np.int64]
) -> tuple[SourceRecords, ValueForm]:
    """The records with the columns of their expanded payloads, and where those stand."""
    payload = payloads.form(int(chosen[0]))
    if payload is None:
        return records, form
    form = replace(
        form, payload=payload.schema, lists=payload.part is not None, first=len(records.columns), role=len(records.roles)
    )
    columns = payloads.columns(chosen, payload)
    return with_columns(records, columns, [np.arange(len(records), dtype=np.int32)]), form


def _topics(_options: Options) -> Topics:
    return ByContent()


SPEC = TransformSpec(
    name="io.debezium.transforms.outbox.EventRouter",
    doc="Rows of an outbox table become the events that they tell of.",
    properties=(*OUTBOX_PROPERTIES, *TRACING_PROPERTIES),
    make=EventRouter,
    topics=_topics,
    settle=without_tracing,
)
