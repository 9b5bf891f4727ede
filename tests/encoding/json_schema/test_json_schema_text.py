"""The text of JSON Schemas; the expected ones are what the library Everit makes of the same schemas."""

import json

import pytest

from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.json_schema.schema_text import json_schema
from tailrace.errors import ConfigError
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.decimals import DECIMAL

LONG, TEXT = Schema(Type.INT64), Schema(Type.STRING)
PARAMETERS = (("allowed", "true,first"), ("zz", "x"), ("scale", "2"), ("connect.decimal.precision", "10"))


def text(schema, **options):
    return json_schema(schema, JsonSchemaOptions(**options)).text


def struct(name, /, **fields):
    return Schema(Type.STRUCT, name=name, fields=tuple(Field(*each) for each in fields.items()))


def test_members_stand_in_everits_order():
    schema = Schema(Type.INT8, name="t", version=1, doc='d"é/</x', default=5, parameters=PARAMETERS)
    assert text(schema) == (
        '{"type":"integer","title":"t","description":"d\\"é/</x","default":5,"connect.version":1,"connect.type":"int8",'
        '"connect.parameters":{"zz":"x","scale":"2","allowed":"true,first","connect.decimal.precision":"10"}}'
    )
    assert text(Schema(Type.BOOLEAN, default=True)) == '{"default":true,"type":"boolean"}'


def test_what_may_be_null_is_one_of_null_and_the_type():
    schema = struct("t.Row", a=LONG.with_(optional=True), b=struct("t.B").with_(optional=True))
    assert text(schema) == (
        '{"type":"object","title":"t.Row","properties":{'
        '"a":{"connect.index":0,"oneOf":[{"type":"null"},{"type":"integer","connect.type":"int64"}]},'
        '"b":{"connect.index":1,"oneOf":[{"type":"null"},{"type":"object","title":"t.B"}]}}}'
    )


def test_properties_stand_in_the_order_of_javas_hash_maps():
    names = ["id", "name", "before", "after", "source", "op", "ts_ms", "ts_us", "transaction", "ts_ns", "aVeryLongName_1", "b"]
    found = json.loads(text(struct("X", **dict.fromkeys(names, Schema(Type.BOOLEAN)))))
    assert list(found["properties"]) == [
        *("op", "b", "before", "ts_us", "name", "id", "after", "source", "aVeryLongName_1", "ts_ns", "ts_ms", "transaction")
    ]
    assert [found["properties"][name]["connect.index"] for name in names] == list(range(12))


def test_objects_are_closed_if_asked_for():
    assert text(struct("X", a=TEXT), additional_properties=False) == (
        '{"type":"object","additionalProperties":false,"title":"X","properties":{"a":{"type":"string","connect.index":0}}}'
    )


def test_arrays_and_maps_have_the_schema_of_their_items():
    assert text(Schema(Type.ARRAY, items=LONG)) == '{"type":"array","items":{"type":"integer","connect.type":"int64"}}'
    assert text(Schema(Type.MAP, keys=TEXT, items=TEXT)) == (
        '{"type":"object","connect.type":"map","additionalProperties":{"type":"string"}}'
    )


@pytest.mark.parametrize(
    ("type_", "value", "shown"),
    [
        (Type.FLOAT64, 1e10, "1.0E+10"),
        (Type.FLOAT64, 1e-5, "0.000010"),
        (Type.FLOAT64, 2.0, "2"),
        (Type.FLOAT64, 0.0, "0"),
        (Type.FLOAT64, 100.0, "100"),
        (Type.FLOAT32, 1.1, "1.1"),
        (Type.STRING, "\u2028\x01é", '"\u2028\\u0001é"'),
        (Type.BYTES, b"\x00\xff", '"AP8="'),
        (Type.INT64, -(2**63), "-9223372036854775808"),
    ],
)
def test_defaults_are_in_the_form_of_javas_libraries(type_, value, shown):
    assert f'"default":{shown}' in text(Schema(type_, default=value))


def test_a_decimal_is_text_with_its_parameters():
    schema = Schema(Type.BYTES, name=DECIMAL, version=1, parameters=(("scale", "2"),))
    assert text(schema) == (
        '{"type":"string","title":"org.apache.kafka.connect.data.Decimal","connect.version":1,"connect.type":"bytes",'
        '"connect.parameters":{"scale":"2"}}'
    )


def test_the_record_is_named_by_its_title_unless_it_may_be_null():
    found = json_schema(struct("t.Row"), JsonSchemaOptions())
    assert (found.record_name, found.schema_type, found.referring.references) == ("t.Row", "JSON", ())
    assert json_schema(struct("t.Row").with_(optional=True), JsonSchemaOptions()).record_name is None


def test_any_schema_gives_the_same_bytes():
    assert json_schema(LONG, JsonSchemaOptions()).difference("{}", {}) is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (Schema(Type.MAP, keys=LONG, items=TEXT), "keys of type int64"),
        (Schema(Type.MAP, keys=TEXT.with_(optional=True), items=TEXT), "keys that may be null"),
        (Schema(Type.STRING, parameters=(("io.confluent.connect.json.Enum", "x"),)), "is not supported"),
    ],
)
def test_what_is_not_there_is_refused(schema, words):
    with pytest.raises(ConfigError, match=words):
        json_schema(schema, JsonSchemaOptions())
