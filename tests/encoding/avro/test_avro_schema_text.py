"""Avro schemas of Connect schemas, as text: what the real converters register, by the notes on tries with them."""

import io
import json

import fastavro
import pytest

from tailrace.encoding.avro.names import is_valid, scrubbed
from tailrace.encoding.avro.options import AvroOptions
from tailrace.encoding.avro.schema_text import avro_schema
from tailrace.encoding.registered import json_text
from tailrace.errors import ConfigError
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.envelope import TRANSACTION_BLOCK

INT, LONG, STRING, BYTES = Schema(Type.INT32), Schema(Type.INT64), Schema(Type.STRING), Schema(Type.BYTES)
OPTIONAL_LONG, OPTIONAL_STRING = Schema(Type.INT64, optional=True), Schema(Type.STRING, optional=True)
SNAPSHOT = Schema(
    Type.STRING,
    optional=True,
    name="io.debezium.data.Enum",
    version=1,
    parameters=(("allowed", "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"),),
    default="false",
)


def struct(name, *fields, **more):
    return Schema(Type.STRUCT, name=name, fields=tuple(Field(*each) for each in fields), **more)


def text(schema, **options):
    return avro_schema(schema, AvroOptions(**options)).text


VALUE = struct("dbz.d_keys.pk.Value", ("id", INT), ("v", OPTIONAL_STRING), optional=True)
SOURCE = struct("io.debezium.connector.mysql.Source", ("version", STRING), ("snapshot", SNAPSHOT), version=1)
ENVELOPE = struct(
    "dbz.d_keys.pk.Envelope",
    ("before", VALUE),
    ("after", VALUE),
    ("source", SOURCE),
    ("transaction", TRANSACTION_BLOCK),
    ("op", STRING),
    ("ts_ms", OPTIONAL_LONG),
    version=2,
)
REGISTERED = (
    '{"type":"record","name":"Envelope","namespace":"dbz.d_keys.pk","fields":['
    '{"name":"before","type":["null",{"type":"record","name":"Value","fields":[{"name":"id","type":"int"},'
    '{"name":"v","type":["null","string"],"default":null}],"connect.name":"dbz.d_keys.pk.Value"}],"default":null},'
    '{"name":"after","type":["null","Value"],"default":null},'
    '{"name":"source","type":{"type":"record","name":"Source","namespace":"io.debezium.connector.mysql","fields":['
    '{"name":"version","type":"string"},'
    '{"name":"snapshot","type":[{"type":"string","connect.version":1,"connect.parameters":{"allowed":'
    '"true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},"connect.default":"false",'
    '"connect.name":"io.debezium.data.Enum"},"null"],"default":"false"}],'
    '"connect.version":1,"connect.name":"io.debezium.connector.mysql.Source"}},'
    '{"name":"transaction","type":["null",{"type":"record","name":"block","namespace":"event","fields":['
    '{"name":"id","type":"string"},{"name":"total_order","type":"long"},{"name":"data_collection_order","type":"long"}],'
    '"connect.version":1,"connect.name":"event.block"}],"default":null},'
    '{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"],"default":null}],'
    '"connect.version":2,"connect.name":"dbz.d_keys.pk.Envelope"}'
)


def test_an_envelope_is_written_as_the_registry_got_it_from_the_real_converter():
    assert text(ENVELOPE) == REGISTERED


def test_an_independent_reader_understands_it():
    parsed = fastavro.parse_schema(json.loads(text(ENVELOPE)))
    out = io.BytesIO()
    fastavro.schemaless_writer(
        out,
        parsed,
        {
            "before": None,
            "after": {"id": 1, "v": None},
            "source": {"version": "3"},
            "transaction": None,
            "op": "c",
            "ts_ms": 5,
        },
    )
    assert fastavro.schemaless_reader(io.BytesIO(out.getvalue()), parsed, None)["after"] == {"id": 1, "v": None}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (STRING, '"string"'),
        (Schema(Type.INT8), '{"type":"int","connect.type":"int8"}'),
        (Schema(Type.INT16), '{"type":"int","connect.type":"int16"}'),
        (Schema(Type.FLOAT32), '"float"'),
        (Schema(Type.FLOAT64), '"double"'),
        (Schema(Type.BOOLEAN), '"boolean"'),
        (Schema(Type.INT32, default=5), '{"type":"int","connect.default":5}'),
        (Schema(Type.INT32, optional=True, default=5), '[{"type":"int","connect.default":5},"null"]'),
        (Schema(Type.STRING, doc='a "doc"'), '{"type":"string","connect.doc":"a \\"doc\\""}'),
        (Schema(Type.ARRAY, items=OPTIONAL_LONG), '{"type":"array","items":["null","long"]}'),
        (Schema(Type.MAP, keys=STRING, items=INT), '{"type":"map","values":"int"}'),
        (
            Schema(Type.INT32, name="org.apache.kafka.connect.data.Date", version=1),
            '{"type":"int","connect.version":1,"connect.name":"org.apache.kafka.connect.data.Date","logicalType":"date"}',
        ),
        (
            Schema(Type.INT32, name="io.debezium.time.Date", version=1),
            '{"type":"int","connect.version":1,"connect.name":"io.debezium.time.Date"}',
        ),
        (
            Schema(Type.BYTES, parameters=(("avro.x", "1"),)),
            '{"type":"bytes","connect.parameters":{"avro.x":"1"},"avro.x":"1"}',
        ),
    ],
)
def test_each_type_has_its_annotations_in_order(schema, expected):
    assert text(schema) == expected


def test_a_decimal_has_scale_and_precision_before_everything_else():
    decimal = Schema(
        Type.BYTES,
        name="org.apache.kafka.connect.data.Decimal",
        version=1,
        parameters=(("scale", "2"), ("connect.decimal.precision", "10")),
        default=b"\x00\xff",
    )
    assert text(decimal) == (
        '{"type":"bytes","scale":2,"precision":10,"connect.version":1,"connect.parameters":{"scale":"2",'
        '"connect.decimal.precision":"10"},"connect.default":"\\u0000ÿ","connect.name":"org.apache.kafka.connect.data.Decimal",'
        '"logicalType":"decimal"}'
    )


def test_a_decimal_that_does_not_tell_its_precision_has_64():
    decimal = Schema(Type.BYTES, name="org.apache.kafka.connect.data.Decimal", parameters=(("scale", "0"),))
    assert json.loads(text(decimal))["precision"] == 64


def test_a_map_with_other_keys_is_an_array_of_entries():
    schema = Schema(Type.MAP, keys=INT, items=OPTIONAL_STRING)
    assert text(schema) == (
        '{"type":"array","items":{"type":"record","name":"MapEntry","namespace":"io.confluent.connect.avro","fields":['
        '{"name":"key","type":"int"},{"name":"value","type":["null","string"],"default":null}]}}'
    )


def test_a_map_with_optional_text_as_keys_is_a_map_only_where_that_is_allowed():
    schema = Schema(Type.MAP, keys=OPTIONAL_STRING, items=INT)
    assert text(schema).startswith('{"type":"array"')
    assert text(schema, optional_map_keys=True) == '{"type":"map","values":"int"}'


def test_structs_without_a_name_are_numbered_and_equal_ones_are_one_record():
    inner, other = struct(None, ("a", INT)), struct(None, ("b", INT))
    found = json.loads(text(struct(None, ("x", inner), ("y", inner.with_(optional=True)), ("z", other))))
    assert found["name"] == "ConnectDefault"
    assert found["fields"][0]["type"]["name"] == "ConnectDefault2"
    assert found["fields"][1]["type"] == ["null", "ConnectDefault2"]
    assert found["fields"][2]["type"]["name"] == "ConnectDefault3"


def test_a_record_of_another_namespace_is_repeated_by_its_full_name():
    point = struct("io.debezium.data.geometry.Point", ("x", Schema(Type.FLOAT64)))
    found = json.loads(text(struct("a.b.Value", ("p", point), ("q", point))))
    assert found["fields"][1]["type"] == "io.debezium.data.geometry.Point"


def test_two_records_of_one_name_that_differ_are_refused_by_name():
    schema = struct("a.V", ("p", struct("a.P", ("x", INT))), ("q", struct("a.P", ("y", INT))))
    with pytest.raises(ConfigError, match=r"two types of the name a\.P"):
        text(schema)


def test_without_meta_data_the_logical_type_stays():
    schema = Schema(Type.INT64, name="org.apache.kafka.connect.data.Timestamp", version=1, doc="d")
    assert text(schema, meta_data=False) == '{"type":"long","logicalType":"timestamp-millis"}'


def test_docs_for_avro_come_from_parameters():
    schema = struct(
        "R",
        ("a", INT),
        parameters=(
            ("io.confluent.connect.avro.record.doc", "of all"),
            ("io.confluent.connect.avro.field.doc.a", "of a"),
        ),
    )
    assert text(schema, meta_data=False) == (
        '{"type":"record","name":"R","doc":"of all","fields":[{"name":"a","type":"int","doc":"of a"}]}'
    )


def test_an_enum_is_one_only_with_enhanced_support():
    name = "io.confluent.connect.avro.Enum"
    schema = Schema(Type.STRING, name="x.Size", parameters=((name, "x.Size"), (f"{name}.S", "S"), (f"{name}.L", "L")))
    assert json.loads(text(schema))["type"] == "string"
    found = json.loads(text(schema, enums=True))
    assert (found["type"], found["name"], found["namespace"], found["symbols"]) == ("enum", "Size", "x", ["S", "L"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a-b", "a_b"), ("1c", "x1c"), ("a b", "a_b"), ("é", "_C3_A9"), ("a~", "a_7E"), ("ok_1", "ok_1"), ("a*b", "a_b")],
)
def test_scrubbed_names_are_those_of_the_real_converter(name, expected):
    assert scrubbed(name) == expected


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        *((each, True) for each in ("a", "_", "_1", "é", "表", "a\u0663")),  # the last one is a decimal digit
        *((each, False) for each in ("", "1", "\u0663a", "a²", "a½", "ⅷ", "\U0001d4b3", "a-b", "a b", "a\0", "x\u0301")),
    ],
)
def test_letters_and_decimal_digits_of_one_unit_are_in_names_as_in_java(name, valid):
    assert is_valid(name) == valid


def test_a_forbidden_field_name_is_an_error_that_names_the_field_and_both_properties():
    schema = struct("a.b.Value", ("a-b", INT))
    with pytest.raises(ConfigError, match=r"'a-b' of a\.b\.Value") as error:
        text(schema)
    assert "field.name.adjustment.mode" in str(error.value)
    assert "scrub.invalid.names" in str(error.value)
    assert json.loads(text(schema, scrub=True))["fields"][0]["name"] == "a_b"


def test_a_forbidden_schema_name_names_the_other_property():
    with pytest.raises(ConfigError, match=r"schema\.name\.adjustment\.mode"):
        text(struct("a.1c", ("a", INT)))


@pytest.mark.parametrize(
    ("value", "single", "expected"),
    [
        (1.0, False, "1.0"),
        (0.001, False, "0.001"),
        (0.00099, False, "9.9E-4"),
        (1e7, False, "1.0E7"),
        (9999999.5, False, "9999999.5"),
        (1.1, True, "1.1"),
        (-1.5e300, False, "-1.5E300"),
        (0.0, False, "0.0"),
        (-0.0, False, "-0.0"),
        (float("nan"), False, '"NaN"'),
    ],
)
def test_floating_point_numbers_are_written_as_java_does(value, single, expected):
    assert json_text.floating(value, single=single) == expected


def test_control_characters_are_escaped_and_other_letters_are_not():
    assert json_text.text('a"\\\n\x01é😀') == '"a\\"\\\\\\n\\u0001é😀"'


def test_two_fields_that_become_one_are_an_error_that_names_both():
    with pytest.raises(ConfigError, match="'a-b' and 'a b' of R would both be a_b"):
        text(struct("R", ("a-b", INT), ("a b", INT)), scrub=True)


def test_apicurios_converter_puts_scale_and_precision_of_decimals_last_and_only_if_avro_knows_them():
    def decimal(scale):
        parameters = (("scale", scale), ("connect.decimal.precision", "10"))
        return Schema(Type.BYTES, name="org.apache.kafka.connect.data.Decimal", parameters=parameters)

    assert list(json.loads(text(decimal("2"), decimals_first=False)))[-4:] == ["connect.name", "logicalType", "precision", "scale"]
    assert list(json.loads(text(decimal("-2"), decimals_first=False)))[-1] == "connect.name"


def test_the_default_of_a_float_is_a_double_in_the_field_as_in_the_real_converters_text():
    assert text(struct("R", ("f", Schema(Type.FLOAT32, default=1.1)))) == (
        '{"type":"record","name":"R","fields":[{"name":"f","type":{"type":"float","connect.default":1.1},'
        '"default":1.100000023841858}],"connect.name":"R"}'
    )
