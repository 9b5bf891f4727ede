"""What only Debezium Server's archive has is found and runs: scripts in Groovy and JavaScript, converters for registries."""

import pytest
from tests.formats.connect_parts import Converter, Failure, Transform

pytestmark = [pytest.mark.debezium, pytest.mark.slow]
OP = {"type": "struct", "fields": [{"type": "string", "optional": False, "field": "op"}], "optional": False, "name": "t.Envelope"}
NOWHERE = "http://127.0.0.1:1"


def line(op):
    return {"topic": "t", "key": None, "value": {"schema": OP, "payload": {"op": op}}}


@pytest.mark.parametrize(("language", "condition"), [("groovy", "value.op == 'c'"), ("graal.js", "value.op == 'c'")])
def test_a_filter_evaluates_its_script(server_parts, language, condition):
    options = {"language": f"jsr223.{language}", "condition": condition}
    outcomes = server_parts.run([line("c"), line("d")], [Transform("io.debezium.transforms.Filter", options)])
    assert [len(outcome) for outcome in outcomes] == [1, 0]


@pytest.mark.parametrize(
    "converter",
    [
        Converter("io.confluent.connect.avro.AvroConverter", {"schema.registry.url": NOWHERE}),
        Converter("io.confluent.connect.protobuf.ProtobufConverter", {"schema.registry.url": NOWHERE}),
        Converter("io.apicurio.registry.utils.converter.AvroConverter", {"apicurio.registry.url": f"{NOWHERE}/apis/registry/v3"}),
    ],
    ids=["Confluent's Avro", "Confluent's Protobuf", "Apicurio's Avro"],
)
def test_a_converter_is_complete_enough_to_ask_its_registry(server_parts, converter):
    (failure,) = server_parts.run([line("c")], value=converter)
    assert failure == Failure("java.net.ConnectException: Connection refused")
