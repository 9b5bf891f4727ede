"""Schema changes, transaction events, heartbeats and notifications in each format, beside the real converters."""

import json
import re

import pytest
from tests.formats.comparing import assert_same, same_bytes, same_json
from tests.formats.connect_parts import JSON, JSON_WITH_SCHEMAS, SIMPLE_HEADERS, Converter, Transform
from tests.formats.encoders import ours
from tests.formats.golden_lines import every_line
from tests.formats.golden_records import kind_of
from tests.support.fake_registry import FakeRegistry

from tailrace.changes.source_records import EventKind
from tailrace.converter_classes import BINARY_DATA, BYTE_ARRAY, CLOUD_EVENTS, CONFLUENT_AVRO, STRING

IN_TEXT = re.compile(rb"\{([^{}]*)\}")


@pytest.fixture(scope="module")
def registry():
    with FakeRegistry() as started:
        yield started


def lines():
    """Those of all kinds but rows."""
    return [line for line in every_line() if line["value"] and kind(line) is not EventKind.ROWS]


def kind(line):
    return kind_of(json.dumps(line["value"]["schema"]))


def test_the_lines_have_all_kinds():
    assert {kind(line) for line in lines()} == set(EventKind) - {EventKind.ROWS}


CASES = {
    "JSON": JSON,
    "JSON with schemas": JSON_WITH_SCHEMAS,
    "numbers in JSON": Converter(JSON.type, {"decimal.format": "NUMERIC"}),
    "bytes": Converter(BYTE_ARRAY),
    "bytes or JSON": Converter(BINARY_DATA, {"delegate.converter.type": JSON.type}),
    "cloud events": Converter(CLOUD_EVENTS),
}


@pytest.mark.debezium
@pytest.mark.parametrize("case", CASES)
def test_they_are_those_of_the_real_converter(connect_parts, case):
    converter = CASES[case]
    found = assert_same(connect_parts, lines(), ours(converter, converter), key=converter, value=converter, same=same_json)
    assert found.failed == (len(lines()) if case == "bytes" else 0)


@pytest.mark.debezium
def test_they_are_those_of_the_real_converter_in_text(connect_parts):
    converter = Converter(STRING)
    assert_same(connect_parts, lines(), ours(converter, converter), key=converter, value=converter, same=same_but_for_order)


def same_but_for_order(theirs, ours):
    """Whether two texts are equal but for the order of a map, which Java has by hashes."""
    return same_bytes(*(text and IN_TEXT.sub(in_order, text) for text in (theirs, ours)))


def in_order(found):
    return b"{" + b", ".join(sorted(found[1].split(b", "))) + b"}"


@pytest.mark.debezium
def test_they_are_those_of_the_real_converter_in_avro(server_parts, registry):
    converter = Converter(CONFLUENT_AVRO, {"schema.registry.url": registry.url})
    assert_same(server_parts, lines(), ours(converter, converter), key=converter, value=converter, same=same_bytes)


@pytest.mark.debezium
def test_a_text_of_theirs_can_be_a_header(connect_parts):
    given = [line for line in lines() if kind(line) is EventKind.SCHEMA_CHANGE]
    options = {"fields": "databaseName", "headers": "database", "operation": "copy"}
    header_from = Transform("org.apache.kafka.connect.transforms.HeaderFrom$Key", options)
    properties = {f"transforms.h.{name}": text for name, text in {**options, "type": header_from.type}.items()}
    mine = ours(header=SIMPLE_HEADERS, **properties, transforms="h")
    assert assert_same(connect_parts, given, mine, [header_from], header=SIMPLE_HEADERS, same=same_json).records == len(given)
