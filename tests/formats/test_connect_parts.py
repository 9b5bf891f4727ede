"""The child that runs real transforms and converters: what goes in and what comes out of it."""

import json

import pytest
from tests.formats.connect_parts import (
    JSON_WITH_SCHEMAS,
    ConnectParts,
    ConnectPartsError,
    Converter,
    Failure,
    Predicate,
    Transform,
)

pytestmark = pytest.mark.debezium
NUMBERS = {"type": "struct", "fields": [{"type": "int32", "optional": False, "field": "a"}], "optional": False, "name": "Row"}
TEXT = {"type": "string", "optional": False}
KAFKA = "org.apache.kafka.connect"
ROUTER = Transform(f"{KAFKA}.transforms.RegexRouter", {"regex": "t", "replacement": "other"})
IS_TOMBSTONE = Predicate(f"{KAFKA}.transforms.predicates.RecordIsTombstone")


def line(**changes):
    made = {"topic": "t", "key": {"schema": TEXT, "payload": "k"}, "value": {"schema": NUMBERS, "payload": {"a": 1}}}
    return {**made, **changes}


def test_without_transforms_a_record_is_what_its_line_says(connect_parts):
    (record,) = connect_parts.run([line(timestamp=7, partition=3)], value=JSON_WITH_SCHEMAS)[0]
    assert (record.topic, record.timestamp, record.partition, record.key) == ("t", 7, 3, b'"k"')
    assert json.loads(record.value) == {"schema": NUMBERS, "payload": {"a": 1}}
    assert json.loads(record.value_schema) == NUMBERS


def test_nulls_without_a_schema_stay_so_and_nulls_with_one_keep_it(connect_parts):
    optional = TEXT | {"optional": True}
    given = [line(key=None, value=None), line(value={"schema": optional, "payload": None})]
    (tombstone,), (null,) = connect_parts.run(given)
    assert (tombstone.key, tombstone.value, tombstone.value_schema) == (None, None, None)
    assert (null.value, json.loads(null.value_schema)) == (b"null", optional)


def test_a_null_with_a_default_gets_past_the_reader_as_a_null(connect_parts):
    field = {"type": "string", "optional": True, "default": "d", "field": "s"}
    value = {"schema": {"type": "struct", "fields": [field], "optional": False}, "payload": {"s": None}}
    kept = Converter(f"{KAFKA}.json.JsonConverter", {"schemas.enable": "false", "replace.null.with.default": "false"})
    assert connect_parts.run([line(value=value)], value=kept)[0][0].value == b'{"s":null}'
    assert connect_parts.run([line(value=value)])[0][0].value == b'{"s":"d"}'


def test_binary_columns_are_buffers_as_debezium_gives_them_and_bits_are_arrays(connect_parts):
    fields = [
        {"type": "bytes", "optional": False, "field": "binary"},
        {"type": "bytes", "optional": False, "name": "io.debezium.data.Bits", "version": 1, "field": "bits"},
    ]
    value = {"schema": {"type": "struct", "fields": fields, "optional": False}, "payload": {"binary": "AAE=", "bits": "AQ=="}}
    text = Converter(f"{KAFKA}.storage.StringConverter")
    (record,) = connect_parts.run([line(value=value)], value=text)[0]
    assert record.value.startswith(b"Struct{binary=java.nio.HeapByteBuffer[pos=0 lim=2 cap=2],bits=[B@")
    assert connect_parts.run([line(value=value)])[0][0].value == b'{"binary":"AAE=","bits":"AQ=="}'


def test_headers_come_in_with_schemas_and_go_out_through_their_converter(connect_parts):
    headers = [["b", {"schema": TEXT, "payload": "x"}], ["a", None], ["b", {"schema": NUMBERS, "payload": {"a": 2}}]]
    (record,) = connect_parts.run([line(headers=headers)])[0]
    assert record.headers == (("b", b"x"), ("a", None), ("b", b'{"a":2}'))


def test_transforms_run_in_their_order_and_dropped_records_are_gone(connect_parts):
    again = Transform(f"{KAFKA}.transforms.RegexRouter", {"regex": "other", "replacement": "third"})
    drop = Transform(f"{KAFKA}.transforms.Filter", predicate=IS_TOMBSTONE)
    kept, dropped = connect_parts.run([line(), line(value=None)], [ROUTER, again, drop])
    assert kept[0].topic == "third"
    assert len(dropped) == 0


@pytest.mark.parametrize(("negate", "topics"), [(False, ["t", "other"]), (True, ["other", "t"])])
def test_a_predicate_chooses_the_records_of_a_transform(connect_parts, negate, topics):
    chosen = Transform(ROUTER.type, ROUTER.options, IS_TOMBSTONE, negate)
    assert [record.topic for (record,) in connect_parts.run([line(), line(value=None)], [chosen])] == topics


def test_a_record_that_fails_says_why_and_the_others_go_on(connect_parts):
    outcomes = connect_parts.run([line(value=None), line()], [Transform(f"{KAFKA}.transforms.ValueToKey", {"fields": "a"})])
    assert isinstance(outcomes[0], Failure)
    assert outcomes[0].error.startswith("org.apache.kafka.connect.errors.DataException: Only Map objects supported")
    assert outcomes[1][0].key == b'{"a":1}'


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (Transform("no.Such"), "java.lang.ClassNotFoundException: no.Such"),
        (Transform(f"{KAFKA}.transforms.ValueToKey"), 'Missing required configuration "fields"'),
        (Transform(f"{KAFKA}.transforms.Cast$Value", {"spec": "a:nothing"}), "Invalid type found in casting spec: nothing"),
    ],
)
def test_a_chain_that_connect_would_refuse_is_refused(connect_parts, transform, message):
    with pytest.raises(ConnectPartsError, match=message):
        connect_parts.run([line()], [transform])


def test_a_child_that_ended_is_told_with_what_it_printed():
    with ConnectParts([]) as parts, pytest.raises(ConnectPartsError, match=r"(?s)the child ended with 1: .*JsonConverter"):
        parts.run([line()])
