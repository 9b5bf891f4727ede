"""The ways of the demo's changes: which there are, and what is said where a server can't be had."""

from decimal import Decimal

import pytest

from tailrace.cli.demo_avro import RegisteredSchemas, as_json
from tailrace.cli.demo_ways import ChosenWay, chosen_way
from tailrace.cli.screen import Screen
from tailrace.errors import ConfigError, TailraceError
from tailrace_standins.servers.apicurio_registry import ApicurioRegistry
from tailrace_standins.servers.java_jars import Unavailable


def test_avro_goes_to_kafka_and_json_to_the_screen_unless_told_otherwise():
    assert chosen_way(None, "json") == ChosenWay(kafka=False, avro=False)
    assert chosen_way("kafka", "json") == ChosenWay(kafka=True, avro=False)
    assert chosen_way(None, "avro") == chosen_way("kafka", "avro") == ChosenWay(kafka=True, avro=True)


@pytest.mark.parametrize(
    ("to", "format_", "told"),
    [
        ("console", "avro", "--format avro goes to Kafka only"),
        (None, "protobuf", "the demo's formats are json and avro"),
        ("files:x", "json", "the demo goes to console or kafka"),
    ],
)
def test_another_way_is_refused(to, format_, told):
    with pytest.raises(ConfigError, match=told):
        chosen_way(to, format_)


def test_without_a_registry_it_says_what_is_missing(monkeypatch, tmp_path):
    def fail(_):
        raise Unavailable("apicurio-registry-app could not be fetched: no network")

    monkeypatch.setattr(ApicurioRegistry, "start", fail)
    with Screen() as screen, pytest.raises(ConfigError) as error, chosen_way(None, "avro").opened(tmp_path, screen):
        pass
    assert str(error.value) == (
        "the demo needs a schema registry for --format avro: apicurio-registry-app could not be fetched: no network"
    )


def test_messages_of_other_formats_are_no_registered_avro():
    schemas = RegisteredSchemas("http://127.0.0.1:9")
    assert schemas.decoded(None) is None
    for message in (b"", b"\0\0\0", b'{"op":"c"}'):
        with pytest.raises(TailraceError, match="no registered Avro"):
            schemas.decoded(message)


def test_decimals_are_shown_as_texts_and_bytes_in_base64():
    assert (as_json(Decimal("-12.50")), as_json(b"\xff\0")) == ("-12.50", "/wA=")
    with pytest.raises(TypeError):
        as_json(object())
