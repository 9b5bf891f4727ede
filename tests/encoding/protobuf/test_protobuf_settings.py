"""The properties of ProtobufConverter and JsonSchemaConverter: what they do, what is refused, what has no effect."""

import pickle

import pytest

from tailrace.config.property import Status
from tailrace.encoding.converters import CONVERTERS
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.encoding.registered.framing import Framing
from tailrace.errors import ConfigError, UnsupportedError
from tailrace.registry.confluent import ConfluentSchemaIds
from tailrace.registry.subjects import Strategy

PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"
JSON_SCHEMA = "io.confluent.connect.json.JsonSchemaConverter"
BOTH = pytest.mark.parametrize("converter", [PROTOBUF, JSON_SCHEMA])
URL = {"schema.registry.url": "http://a:8081"}


def read(converter, given=(), part="value"):
    return CONVERTERS[converter].reading().settings(converter, part, URL | dict(given))


def test_defaults_are_those_of_the_converters():
    assert read(PROTOBUF).options == ProtobufOptions()
    assert read(JSON_SCHEMA).options == JsonSchemaOptions()


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("optional.for.nullables", "optional_fields"),
        ("wrapper.for.nullables", "wrappers"),
        ("scrub.invalid.names", "scrub"),
        ("ignore.default.for.nullables", "keep_nulls"),
    ],
)
def test_each_switch_of_protobuf_is_an_option(name, option):
    assert read(PROTOBUF, {name: "true"}).options == ProtobufOptions(**{option: True})


def test_each_switch_of_json_schema_is_an_option():
    given = {"object.additional.properties": "false", "ignore.default.for.nullables": "true", "decimal.format": "BASE64"}
    assert read(JSON_SCHEMA, given).options == JsonSchemaOptions(additional_properties=False, keep_nulls=True)


@BOTH
def test_what_all_of_confluents_converters_have_is_there(converter):
    found = read(
        converter,
        {
            "key.schema.id.serializer": "io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer",
            "key.subject.name.strategy": "io.confluent.kafka.serializers.subject.RecordNameStrategy",
            "auto.register.schemas": "false",
            "use.latest.version": "true",
        },
        "key",
    )
    assert (found.part, found.framing, found.ids.strategy) == ("key", Framing.GUID_HEADER, Strategy.RECORD)
    assert (found.ids.register, found.ids.use_latest) == (False, True)
    assert isinstance(CONVERTERS[converter].making().schema_ids(found), ConfluentSchemaIds)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 -- made one line above


@pytest.mark.parametrize(
    ("converter", "name", "value"),
    [
        (PROTOBUF, "skip.known.types", "false"),
        (JSON_SCHEMA, "decimal.format", "NUMERIC"),
        (JSON_SCHEMA, "json.indent.output", "true"),
        (PROTOBUF, "rule.executors", "x"),
    ],
)
def test_what_is_not_there_is_refused_by_its_name(converter, name, value):
    with pytest.raises(UnsupportedError, match=rf"value\.converter\.{name}"):
        read(converter, {name: value})


@BOTH
def test_a_registry_is_needed(converter):
    with pytest.raises(ConfigError, match=r"schema\.registry\.url is missing"):
        CONVERTERS[converter].reading().settings(converter, "value", {})


@pytest.mark.parametrize(
    ("converter", "name"), [(PROTOBUF, "flatten.unions"), (PROTOBUF, "int.for.enums"), (JSON_SCHEMA, "json.oneof.for.nullables")]
)
def test_what_has_no_effect_is_told(converter, name):
    (warning,) = read(converter, {name: "true"}).warnings
    assert warning.startswith(f"value.converter.{name} has no effect: ")


@BOTH
def test_every_property_has_a_sentence_and_every_other_a_reason(converter):
    tables = CONVERTERS[converter].reading().tables(converter)
    for each in (*tables.properties, *tables.families):
        assert each.doc.endswith((".", "`.")), each.name
        assert each.status is Status.WORKS or each.reason, each.name
