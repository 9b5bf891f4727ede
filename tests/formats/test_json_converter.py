"""tailrace's JSON encoder beside Kafka's JsonConverter, without transforms, on every golden line.

This also proves the harness: golden lines become source records and the same text again.
"""

import json
import re

import pytest
from tests.formats.comparing import assert_same, outcomes, same_bytes
from tests.formats.connect_parts import Converter
from tests.formats.golden_lines import every_line, golden_lines, sources

from support.every_scenario import only_with_all
from tailrace.encoding.json import JsonEncoder
from tailrace.encoding.json_format import JsonFormat
from tailrace.schema.decimals import DECIMAL

OTHER_FRACTIONS = re.compile(rb"([:\[,])(-?\d+(?:\.\d+)?[eE][+-]?\d+|-?\d{8,}\.0)(?=[,\]}])")
JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"


def ours(*, schemas, defaults, numeric=False):
    """The encoder, with the same settings for keys, values and headers."""
    format_ = JsonFormat(schemas=schemas, defaults=defaults, numeric=numeric)
    encoder = JsonEncoder(format_, format_, format_)
    return lambda records: [encoder.encode(records)]


def theirs(*, schemas, defaults, numeric=False):
    """The converter with these settings."""
    decimals = "NUMERIC" if numeric else "BASE64"
    given = {"schemas.enable": schemas, "replace.null.with.default": defaults, "decimal.format": decimals}
    return Converter(JSON_CONVERTER, {name: str(value) for name, value in given.items()})


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
@pytest.mark.parametrize(
    ("schemas", "defaults"),
    [
        pytest.param(True, True, id="with schemas, defaults for nulls"),
        pytest.param(False, False, id="without schemas, nulls"),
        pytest.param(True, False, id="with schemas, nulls", marks=only_with_all),
        pytest.param(False, True, id="without schemas, defaults for nulls", marks=only_with_all),
    ],
)
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


def with_decimals():
    """The lines that have decimals anywhere, in values or as defaults."""
    return [line for line in every_line() if DECIMAL in json.dumps(line)]


def same_decimals(theirs, ours):
    """Whether all is equal but for fractions that are no decimals, which have an exponent or the digits of a double."""
    return same_bytes(*(text and OTHER_FRACTIONS.sub(shortest, text) for text in (theirs, ours)))


def shortest(fraction):
    return fraction[1] + repr(float(fraction[2])).encode()


@pytest.mark.debezium
@pytest.mark.parametrize("schemas", [True, False], ids=["with schemas", "without schemas"])
def test_decimals_are_the_numbers_of_kafkas_converter(connect_parts, schemas):
    converter = theirs(schemas=schemas, defaults=True, numeric=True)
    found = assert_same(
        connect_parts,
        with_decimals(),
        ours(schemas=schemas, defaults=True, numeric=True),
        key=converter,
        value=converter,
        header=converter,
        same=same_decimals,
    )
    assert found.records > 100
