"""Properties of a configuration's converters: whose they are, and whether they have an effect."""

import pytest

from support.configurations import MINIMAL
from tailrace.connectors.load import from_mapping
from tailrace.encoding.json_schema.options import JsonSchemaOptions
from tailrace.encoding.protobuf.options import ProtobufOptions
from tailrace.errors import UnsupportedError

AVRO = "io.confluent.connect.avro.AvroConverter"
PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"
JSON_SCHEMA = "io.confluent.connect.json.JsonSchemaConverter"
FOREIGN = "is a property of org.apache.kafka.connect.json.JsonConverter"


def read(converter, **given):
    properties = {f"value.converter.{name.replace('__', '.')}": text for name, text in given.items()}
    url = {"value.converter.schema.registry.url": "http://registry:8081"}
    return from_mapping(MINIMAL | {"value.converter": converter} | url | properties)


def foreign(settings):
    return [warning for warning in settings.warnings if FOREIGN in warning]


def test_each_converter_gets_its_own_properties():
    assert read(PROTOBUF, optional__for__nullables="true").value_format.options == ProtobufOptions(optional_fields=True)
    found = read(JSON_SCHEMA, object__additional__properties="false")
    assert found.value_format.options == JsonSchemaOptions(additional_properties=False)
    assert found.key_format is None


@pytest.mark.parametrize("converter", [AVRO, PROTOBUF, JSON_SCHEMA])
def test_a_property_of_json_alone_has_no_effect_and_that_is_told(converter):
    (warning,) = foreign(read(converter, replace__null__with__default="false"))
    assert warning.startswith("value.converter.replace.null.with.default has no effect")


def test_the_format_of_decimals_belongs_to_json_schema_too():
    assert foreign(read(JSON_SCHEMA, decimal__format="BASE64")) == []
    assert len(foreign(read(PROTOBUF, decimal__format="BASE64"))) == 1
    with pytest.raises(UnsupportedError, match=r"value\.converter\.decimal\.format"):
        read(JSON_SCHEMA, decimal__format="NUMERIC")
