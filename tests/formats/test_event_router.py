"""EventRouter beside Debezium's, on the golden lines of outbox tables and of everything else."""

import copy

import pytest
from tests.formats.chains import assert_as_real, lines_of
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines, sources

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.outbox.EventRouter"
OUTBOX = ("d_formats.outbox", "d_formats.outbox_bytes", "d_formats.outbox_text")
OPTIONS = {
    "defaults": {},
    "a tombstone for an empty payload": {"route.tombstone.on.empty.payload": "true"},
    "another topic": {"route.by.field": "type", "route.topic.regex": "(.*)Created", "route.topic.replacement": "made.$1"},
    "a route that may be null": {"route.by.field": "tenant"},
    "a route that is no text": {"route.by.field": "part"},
    "a static topic": {"route.topic.replacement": "events"},
    "an empty topic for some": {"route.topic.regex": "(.*)order(.*)", "route.topic.replacement": "all.$1$2"},
    "other columns": {"table.field.event.key": "type", "table.field.event.payload": "tenant", "table.field.event.id": "part"},
    "a key that may be null": {"table.field.event.key": "tenant"},
    "a column that is not there": {"table.field.event.key": "nowhere"},
    "a payload that is not there": {"table.field.event.payload": "nowhere"},
    "an id that is not there": {"table.field.event.id": "nowhere"},
    "headers": {"table.fields.additional.placement": "type:header:eventType,tenant:header,part:header:p,made:header"},
    "a header twice": {"table.fields.additional.placement": "type:header:id,type:header:id"},
    "a header that is not there": {"table.fields.additional.placement": "nowhere:header,type:header"},
    "a header that may be missing": {
        "table.fields.additional.placement": "nowhere:header,type:header,nowhere:partition",
        "table.field.additional.missing": "ignore",
    },
    "a partition": {"table.fields.additional.placement": "part:partition"},
    "two partitions": {"table.fields.additional.placement": "part:partition,version:partition"},
    "a partition of another type": {"table.fields.additional.placement": "type:partition"},
    "a timestamp": {"table.field.event.timestamp": "made_dt"},
    "a finer timestamp": {"table.field.event.timestamp": "made_ns"},
    "a timestamp that is text": {"table.field.event.timestamp": "made"},
    "a timestamp that is a number": {"table.field.event.timestamp": "aggregateid"},
    "updates are fatal": {"table.op.invalid.behavior": "fatal"},
    "updates are errors": {"table.op.invalid.behavior": "error"},
    "expanded": {"table.expand.json.payload": "true"},
    "expanded with nulls": {"table.expand.json.payload": "true", "table.json.payload.null.behavior": "optional_bytes"},
    "expanded, tombstones": {"table.expand.json.payload": "true", "route.tombstone.on.empty.payload": "true"},
    "expanded, names for avro": {"table.expand.json.payload": "true", "field.name.adjustment.mode": "avro"},
}
STRUCTS = {
    "envelope": {"table.fields.additional.placement": "type:envelope:eventType,tenant:envelope,made:header,part:partition"},
    "the alias of the payload": {"table.fields.additional.placement": "type:envelope:payload"},
    "one alias twice": {"table.fields.additional.placement": "type:envelope:a,tenant:envelope:a"},
    "a field that is not there": {"table.fields.additional.placement": "nowhere:envelope,type:envelope"},
    "fields that may be missing": {
        "table.fields.additional.placement": "nowhere:envelope,type:header",
        "table.field.additional.missing": "ignore",
    },
    "a version": {
        "table.fields.additional.placement": "type:envelope",
        "table.field.event.schema.version": "version",
    },
    "a version that may be null": {
        "table.fields.additional.placement": "type:envelope",
        "table.field.event.schema.version": "part",
    },
    "a version that is text": {
        "table.fields.additional.placement": "type:envelope",
        "table.field.event.schema.version": "type",
    },
    "an expanded payload": {
        "table.fields.additional.placement": "type:envelope,id:header:key",
        "table.expand.json.payload": "true",
        "route.tombstone.on.empty.payload": "true",
    },
}


def outbox_lines():
    return [line for mode in ("defaults", "connect", "nanoseconds") for topic in OUTBOX for line in lines_of(topic, among=mode)]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_an_outbox_table_becomes_the_same_events(connect_parts, options):
    found = assert_as_real(connect_parts, outbox_lines(), Transform(TYPE, options), schemas=[True])
    assert found.records + found.failed > 20


@pytest.mark.parametrize("options", STRUCTS.values(), ids=STRUCTS)
def test_values_with_several_fields_are_the_same(connect_parts, options):
    """The real one names a schema after the first route that it has seen with it: so each line is alone."""
    lines = [line for line in outbox_lines() if line["value"] is not None]
    found = assert_as_real(connect_parts, lines[:24], Transform(TYPE, options), alone=True, schemas=[True])
    assert found.records + found.failed > 15


HOSTILE = {
    "deeper than Java's parser goes": '{"a":' * 1001 + "1" + "}" * 1001,
    "a long number": '{"a":' + "9" * 1200 + "}",
    "no number": '{"a":NaN}',
    "a pair of surrogates": r'{"a": "\ud83d\ude00"}',
    "a NUL": r'{"a\u0000": "x\u0000"}',
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE)
def test_hostile_payloads_become_the_same_events(connect_parts, payload):
    line = copy.deepcopy(next(each for each in lines_of("d_formats.outbox_text", among="defaults") if each["value"] is not None))
    line["value"]["payload"]["after"]["payload"] = payload
    expanding = Transform(TYPE, {"table.expand.json.payload": "true"})
    assert assert_as_real(connect_parts, [line], expanding, schemas=[True]).records == 1


def test_an_outbox_table_becomes_the_same_events_without_schemas(connect_parts):
    found = assert_as_real(connect_parts, outbox_lines(), Transform(TYPE), schemas=[False])
    assert found.records > 20


@pytest.mark.parametrize("source", sources()[:2])
def test_what_is_no_outbox_table_fails_or_passes_alike(connect_parts, source):
    lines = golden_lines(source)
    found = assert_as_real(connect_parts, lines, Transform(TYPE, {}), schemas=[False])
    assert found.records + found.failed + found.dropped >= len(lines)
