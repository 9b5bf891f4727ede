"""tailrace's JSON encoder beside Kafka's JsonConverter, without transforms, on every golden line.

This also proves the harness: golden lines become source records and the same text again.
"""

import json

import pytest
from tests.formats.comparing import assert_same, outcomes
from tests.formats.connect_parts import Converter
from tests.formats.golden_lines import golden_lines, sources

from tailrace.encoding.json import JsonEncoder, JsonFormat

JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"


def ours(*, schemas, defaults):
    """The encoder, with the same settings for keys, values and headers."""
    format_ = JsonFormat(schemas=schemas, defaults=defaults)
    encoder = JsonEncoder(format_, format_, format_)
    return lambda records: [encoder.encode(records)]


def theirs(*, schemas, defaults):
    """The converter with these settings."""
    given = {"schemas.enable": schemas, "replace.null.with.default": defaults}
    return Converter(JSON_CONVERTER, {name: str(value).lower() for name, value in given.items()})


@pytest.mark.parametrize("source", sources())
def test_golden_lines_come_back_as_they_are(source):
    lines = golden_lines(source)
    for line, (record,) in zip(lines, outcomes(lines, ours(schemas=True, defaults=False)), strict=True):
        assert (record.topic, record.partition, record.timestamp) == (line["topic"], line["partition"], line["timestamp"])
        texts = [record.key, record.value, *(value for _, value in record.headers)]
        messages = [line["key"], line["value"], *(message for _, message in line["headers"])]
        assert [text and json.loads(text) for text in texts] == messages
        assert [name for name, _ in record.headers] == [name for name, _ in line["headers"]]


@pytest.mark.debezium
@pytest.mark.parametrize("source", sources())
@pytest.mark.parametrize("schemas", [True, False], ids=["with schemas", "without schemas"])
@pytest.mark.parametrize("defaults", [True, False], ids=["defaults for nulls", "nulls"])
def test_keys_values_and_headers_are_those_of_kafkas_converter(connect_parts, source, schemas, defaults):
    converter = theirs(schemas=schemas, defaults=defaults)
    found = assert_same(
        connect_parts,
        golden_lines(source),
        ours(schemas=schemas, defaults=defaults),
        key=converter,
        value=converter,
        header=converter,
    )
    assert found.records == len(golden_lines(source))
