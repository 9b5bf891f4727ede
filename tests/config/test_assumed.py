"""What is taken for granted where the connector says nothing, and what is said of it."""

from support.configurations import MINIMAL
from tailrace.connectors.load import from_mapping

JSON = "org.apache.kafka.connect.json.JsonConverter"


WORKER = "; in Kafka Connect the worker says which: --worker FILE takes it from there"


def test_the_converter_that_is_assumed_is_told():
    (note,) = from_mapping(MINIMAL).notes
    assert note == f"key.converter and value.converter are not set: keys and values are JSON with schemas{WORKER}"
    assert from_mapping(MINIMAL | {"key.converter": JSON, "value.converter": JSON}).notes == ()


def test_a_switch_of_a_converter_that_is_not_named_has_no_effect_in_connect():
    first, second = from_mapping(MINIMAL | {"value.converter.schemas.enable": "false"}).notes
    assert first.endswith(f": keys are JSON with schemas and values are JSON without schemas{WORKER}")
    assert second.startswith("value.converter.schemas.enable counts here, and in Kafka Connect only where")
    first, _ = from_mapping(MINIMAL | {"key.converter": JSON, "value.converter.schemas.enable": "false"}).notes
    assert first == f"value.converter is not set: values are JSON without schemas{WORKER}"
