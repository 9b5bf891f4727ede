"""What counts where the connector has no property of its own, and what is said of it."""

from configurations import MINIMAL

from tailrace.config.load import from_mapping

JSON = "org.apache.kafka.connect.json.JsonConverter"


WORKER = "; in Kafka Connect the worker says which converter that is"


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


def test_a_workers_properties_count_below_the_connectors():
    worker = {"key.converter": JSON, "value.converter": JSON, "value.converter.schemas.enable": "false"}
    settings = from_mapping(MINIMAL, defaults=worker)
    assert settings.value_converter_schemas_enable is False
    assert settings.notes == ()


def test_a_converter_comes_whole_from_where_it_is_named():
    worker = {"value.converter": JSON, "value.converter.schemas.enable": "false"}
    assert from_mapping(MINIMAL | {"value.converter": JSON}, defaults=worker).value_converter_schemas_enable is True


def test_an_older_name_of_the_connectors_counts_more_than_a_new_one_of_the_worker():
    own = {name: value for name, value in MINIMAL.items() if name != "topic.prefix"} | {"database.server.name": "mine"}
    settings = from_mapping(own, defaults={"topic.prefix": "worker"})
    assert settings.topic_prefix == "mine"
    assert settings.warnings == ()
