"""Kafka's converters of bytes, numbers, booleans and text in other character sets, beside the real ones."""

import pytest
from tests.formats.comparing import assert_same, same_bytes
from tests.formats.connect_parts import JSON, Converter
from tests.formats.encoders import ours
from tests.formats.golden_lines import golden_lines
from tests.formats.made_lines import NESTED, SCALARS, TEXT, message

from tailrace.converter_classes import BYTE_ARRAY, NUMBERS, STRING

PLAIN = (BYTE_ARRAY, *NUMBERS)


def whole_values():
    """Lines whose value is one of every type, or null with such a schema."""
    lines = []
    for name, (schema, payloads) in (SCALARS | NESTED).items():
        some = [*payloads, None] if schema["optional"] else payloads
        lines += [line(f"whole.{name}", each) for each in (*(message(schema, payload) for payload in some), None)]
    return lines


def headed(each):
    return {**line(each["topic"], message(TEXT, "v")), "headers": [["h", each["value"]]]}


def line(topic, value):
    return {"topic": topic, "partition": None, "timestamp": 5, "key": message(TEXT, "k"), "value": value, "headers": []}


@pytest.mark.debezium
@pytest.mark.parametrize("name", PLAIN)
def test_single_values_are_those_of_kafkas_converter(connect_parts, name):
    converter = Converter(name)
    lines = [*whole_values(), *golden_lines("made")[:4], *golden_lines("sqlserver: heartbeats")[:6]]
    found = assert_same(connect_parts, lines, ours(value=converter), value=converter, key=JSON, same=same_bytes)
    assert found.records > 10
    assert found.failed > 10


@pytest.mark.debezium
@pytest.mark.parametrize("name", PLAIN)
def test_headers_are_those_of_kafkas_converter(connect_parts, name):
    converter = Converter(name)
    lines = [headed(each) for each in whole_values() if each["value"]]
    found = assert_same(connect_parts, lines, ours(header=converter), header=converter, same=same_bytes)
    assert found.records > 2
    assert found.failed > 10


@pytest.mark.debezium
@pytest.mark.parametrize("encoding", ["ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16LE", "windows-1252", "utf8"])
def test_text_in_another_character_set_is_that_of_kafkas_converter(connect_parts, encoding):
    converter = Converter(STRING, {"converter.encoding": encoding})
    texts = ["plain", "", "é ü ÿ", "\u20ac \u0141", "\U0001f600", None]
    schema = {"type": "string", "optional": True}
    lines = [line("texts", message(schema, text)) for text in texts] + [line("texts", None)]
    found = assert_same(connect_parts, lines, ours(converter, converter), key=converter, value=converter, same=same_bytes)
    assert found.records == len(lines)
