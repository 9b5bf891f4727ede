"""In which form keys and values are delivered."""

import pytest

from support.transforming import changes
from support.unit_settings import unit_settings
from tailrace.encoding.forms import form_of

CONFLUENT = {"value.converter": "io.confluent.connect.avro.AvroConverter", "value.converter.schema.registry.url": "http://r"}
APICURIO = {
    "value.converter": "io.apicurio.registry.utils.converter.AvroConverter",
    "value.converter.apicurio.registry.url": "http://r/apis/registry/v3",
}
PROTOBUF = "io.confluent.connect.protobuf.ProtobufConverter"
RECORDS = "io.confluent.kafka.serializers.subject.RecordNameStrategy"


@pytest.mark.parametrize(
    ("properties", "form"),
    [
        ({}, "JSON with its schema"),
        ({"value.converter.schemas.enable": False}, "JSON"),
        ({"value.converter": "org.apache.kafka.connect.storage.StringConverter"}, "Text"),
        (CONFLUENT, "Avro, subject t-value"),
        (CONFLUENT | {"value.converter.value.subject.name.strategy": RECORDS}, "Avro, subject dbz.shop.t.Envelope"),
        (CONFLUENT | {"value.converter": PROTOBUF}, "Protobuf, subject t-value"),
        ({"value.converter": "io.debezium.converters.CloudEventsConverter"}, "CloudEvents"),
        (APICURIO, "Avro, artifact t-value of group default"),
    ],
)
def test_the_form_says_where_the_schema_is_kept_without_asking(properties, form):
    assert form_of(unit_settings(properties), "value", "t", changes().value) == form


def test_a_schema_that_avro_can_not_express_is_said_to_fail():
    from tailrace.changes.layouts import Constant, Layout
    from tailrace.schema.connect import Schema, Type

    layout = Layout(Constant(Schema(Type.STRING), "x"))
    strategy = {"value.converter.value.subject.name.strategy": RECORDS}
    assert "Avro with Confluent's API, which fails: " in form_of(unit_settings(CONFLUENT | strategy), "value", "t", layout)
