"""What is taken for granted where the connector says nothing, and what is said of it."""

from configurations import MINIMAL

from tailrace.config.load import from_mapping

JSON = "org.apache.kafka.connect.json.JsonConverter"


def test_the_converter_that_is_assumed_is_told():
    (note,) = from_mapping(MINIMAL).notes
    assert note == (
        "key.converter and value.converter are not set: keys are JSON with schemas and values are JSON with schemas; in Kafka "
        "Connect the worker says which: --worker FILE takes it from there"
    )
    (note,) = from_mapping(MINIMAL | {"key.converter": JSON, "value.converter.schemas.enable": "false"}).notes
    assert note.startswith("value.converter is not set: values are JSON without schemas")
    assert from_mapping(MINIMAL | {"key.converter": JSON, "value.converter": JSON}).notes == ()
