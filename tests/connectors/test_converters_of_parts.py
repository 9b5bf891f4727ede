"""Properties of converters: what is read, refused by name, told to have no effect."""

import pickle

import pytest

from support.unit_settings import unit_settings
from tailrace.connectors.converter_settings import require_json_headers, require_text
from tailrace.converter_classes import (
    BINARY_DATA,
    BYTE_ARRAY,
    CLOUD_EVENTS,
    CONFLUENT_AVRO,
    EXT_JSON,
    JSON,
    NUMBERS,
    OLD_BINARY_DATA,
    STRING,
)
from tailrace.encoding.formats import encoder_of, key_format, registries_of, value_format
from tailrace.errors import ConfigError, TailraceError
from tailrace.schema.connect import Type

GLUE = "com.amazonaws.services.schemaregistry.kafkaconnect.AWSKafkaAvroConverter"
OUTBOX = {"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}
REGISTRY = {"value.converter.avro.schema.registry.url": "http://registry.example.org"}
CLOUD = {"value.converter": CLOUD_EVENTS}


def refused(properties):
    with pytest.raises(TailraceError) as caught:
        unit_settings(properties)
    return str(caught.value)


def test_decimals_are_numbers_where_that_is_set():
    settings = unit_settings({"key.converter.decimal.format": "numeric", "value.converter.decimal.format": "NUMERIC"})
    assert (key_format(settings).numeric, value_format(settings).numeric) == (True, True)
    assert not value_format(unit_settings()).numeric


@pytest.mark.parametrize("part", ["key", "value", "header"])
def test_a_schema_for_reading_has_no_effect(part):
    (warning,) = unit_settings({f"{part}.converter.schema.content": "{}"}).warnings
    assert "schema.content" in warning
    assert "reading" in warning


@pytest.mark.parametrize("name", [BYTE_ARRAY, BINARY_DATA, OLD_BINARY_DATA, *NUMBERS])
@pytest.mark.parametrize("part", ["key", "value"])
def test_a_converter_that_fails_on_structs_is_refused_without_transforms(part, name):
    message = refused({f"{part}.converter": name})
    assert f"{part}.converter={name}" in message
    assert "EventRouter" in message
    unit_settings({f"{part}.converter": name} | OUTBOX)


def test_a_binary_converter_with_a_delegate_takes_structs():
    settings = unit_settings(
        {
            "value.converter": BINARY_DATA,
            "value.converter.delegate.converter.type": JSON,
            "value.converter.delegate.converter.type.schemas.enable": "false",
        }
    )
    assert settings.warnings == ()
    assert not settings.value_format.delegate.settings.schemas


def test_a_delegate_that_is_not_known_is_refused_by_name():
    message = refused({"value.converter": BINARY_DATA, "value.converter.delegate.converter.type": "org.acme.Mine"})
    assert "value.converter.delegate.converter.type=org.acme.Mine" in message


def test_problems_of_a_converter_inside_another_one_name_its_properties():
    inner = "value.converter.delegate.converter.type"
    message = refused({"value.converter": BINARY_DATA, inner: CONFLUENT_AVRO})
    assert f"{inner}.schema.registry.url is missing" in message
    message = refused(CLOUD | {"value.converter.serializer.type": "avro", "value.converter.data.serializer.type": "avro"})
    assert "value.converter.avro.schema.registry.url is missing" in message
    message = refused(
        CLOUD
        | REGISTRY
        | {"value.converter.data.serializer.type": "avro", "value.converter.avro.use.schema.guid": "x", "value.converter.serializer.type": "json"}
    )
    assert "value.converter.avro.use.schema.guid" in message


def test_ids_in_headers_are_refused_inside_another_converter():
    ids = {"value.converter.avro.value.schema.id.serializer": "HeaderSchemaIdSerializer"}
    message = refused(CLOUD | REGISTRY | ids | {"value.converter.data.serializer.type": "avro"})
    assert "value.converter.avro.value.schema.id.serializer=HeaderSchemaIdSerializer" in message


def test_cloud_events_in_avro_with_data_in_json_are_refused():
    message = refused(CLOUD | REGISTRY | {"value.converter.serializer.type": "avro"})
    assert "value.converter.data.serializer.type=avro" in message


@pytest.mark.parametrize(
    ("sources", "part"),
    [
        ("generate", "value or header"),
        ("id:generate", "value or header"),
        ("value", "id:generate"),
        ("value,id:generate", "type:generate"),
        ("value,id:value,type:generate", "'id:value'"),
        ("value,id:generate,type:generate,subject:header", "'subject:header'"),
    ],
)
def test_sources_of_metadata_that_fail_on_all_records_are_refused(sources, part):
    message = refused(CLOUD | {"value.converter.metadata.source": sources})
    assert "value.converter.metadata.source" in message
    assert part in message


def test_a_trace_that_can_not_come_from_a_header_is_refused():
    sources = "value,id:generate,type:generate,traceparent:generate"
    given = {"value.converter.metadata.source": sources, "value.converter.opentelemetry.tracing.attributes.enable": "true"}
    assert "traceparent:header" in refused(CLOUD | given)


def test_metadata_from_headers_need_headers_in_json_with_schemas():
    given = CLOUD | {"value.converter.metadata.source": "header"}
    assert "header.converter=" in refused(given)
    assert "header.converter=" in refused(given | {"header.converter": JSON, "header.converter.schemas.enable": "false"})
    assert unit_settings(given | {"header.converter": JSON}).value_format.metadata.source


def test_keys_that_become_null_are_told():
    (warning,) = unit_settings({"key.converter": CLOUD_EVENTS}).warnings
    assert "null of keys" in warning


def test_a_misspelt_property_of_cloud_events_is_an_error():
    assert "data.serializer.type" in refused(CLOUD | {"value.converter.data.serialiser.type": "avro"})


def test_settings_can_be_sent_to_tasks_and_show_no_secret():
    given = {
        "value.converter.data.serializer.type": "avro",
        "value.converter.avro.basic.auth.credentials.source": "USER_INFO",
        "value.converter.avro.basic.auth.user.info": "me:hush",
    }
    settings = unit_settings(CLOUD | REGISTRY | given)
    sent = pickle.loads(pickle.dumps(settings.value_format))  # noqa: S301 -- our own
    assert sent == settings.value_format
    assert "hush" not in repr(settings)


def test_each_converters_registry_is_known():
    inner = {"value.converter.data.serializer.type": "avro"}
    apicurio = {"key.converter": EXT_JSON, "key.converter.apicurio.registry.url": "http://r.example.org/apis/registry/v3"}
    assert len(registries_of(unit_settings(CLOUD | REGISTRY | inner | apicurio))) == 2
    assert registries_of(unit_settings(CLOUD)) == []


def test_text_of_another_character_set_is_read_by_javas_name():
    settings = unit_settings({"key.converter": STRING, "key.converter.converter.encoding": "ISO-8859-1"})
    assert settings.key_format.encoding == "iso8859-1"
    message = refused({"key.converter": STRING, "key.converter.converter.encoding": "x-klingon"})
    assert "key.converter.converter.encoding=x-klingon" in message


@pytest.mark.parametrize("name", [STRING, BYTE_ARRAY, BINARY_DATA, OLD_BINARY_DATA, *NUMBERS])
def test_headers_have_each_of_the_plain_converters(name):
    encoder_of(unit_settings({"header.converter": name}))


@pytest.mark.parametrize("part", ["key", "value", "header"])
def test_converters_of_aws_glue_are_refused_with_what_to_do(part):
    message = refused({f"{part}.converter": GLUE})
    assert f"{part}.converter" in message
    assert CONFLUENT_AVRO in message


def test_lines_take_json_alone_and_a_frame_any_text():
    for value, options, in_lines, in_frames in (
        (CLOUD_EVENTS, {}, True, True),
        (CLOUD_EVENTS, {"serializer.type": "avro", "data.serializer.type": "avro", "avro.schema.registry.url": "http://r"}, False, False),
        (STRING, {}, False, True),
        (STRING, {"converter.encoding": "UTF-16"}, False, False),
        (JSON, {}, True, True),
        (BYTE_ARRAY, {}, False, False),
    ):
        given = {"value.converter": value} | {f"value.converter.{name}": text for name, text in options.items()} | OUTBOX
        settings = unit_settings(given)
        for json_only, taken in ((True, in_lines), (False, in_frames)):
            if taken:
                require_text(settings, "here", json_only=json_only)
            else:
                with pytest.raises(ConfigError, match="deliver to Kafka"):
                    require_text(settings, "here", json_only=json_only)


def test_lines_take_headers_in_json_alone():
    require_json_headers(unit_settings(), "here")
    require_json_headers(unit_settings({"header.converter": JSON}), "here")
    with pytest.raises(ConfigError, match=r"header\.converter"):
        require_json_headers(unit_settings({"header.converter": STRING}), "here")


def test_numbers_take_each_their_own_type():
    (double,) = [name for name, type_ in NUMBERS.items() if type_ is Type.FLOAT64]
    assert unit_settings({"value.converter": double} | OUTBOX).value_format.type is Type.FLOAT64
