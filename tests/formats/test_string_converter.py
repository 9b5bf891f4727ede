"""StringConverter and SimpleHeaderConverter beside Kafka's own."""

import json
import re

import numpy as np
import pytest
from tests.formats.chains import properties_of
from tests.formats.comparing import assert_same, same_json
from tests.formats.connect_parts import Converter, Transform
from tests.formats.golden_lines import every_line

from support.unit_settings import unit_settings
from tailrace.events.pipeline import pipeline_of
from tailrace.java_numbers import number_texts

STRING = "org.apache.kafka.connect.storage.StringConverter"
SIMPLE = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
BYTES = re.compile(rb"\[B@[0-9a-f]+|java\.nio\.HeapByteBuffer\[[^\]]*\]")
NOT_SIMPLE = "org.apache.kafka.connect.data."  # in headers decimals and dates are written as other values are
FIRST_GREGORIAN = -141_427  # days
NO_SCHEMAS = Converter("org.apache.kafka.connect.json.JsonConverter", {"schemas.enable": "false"})
HEADERS = [
    Transform(
        "io.debezium.transforms.ExtractNewRecordState",
        {"add.headers": "op,source.ts_ms,table,db,source.pos"},
    )
]


def same_but_for_bytes(theirs, ours):
    """Java shows of bytes where they are, or how many, according to how its program holds them."""
    return same_json(*(text and BYTES.sub(b"bytes", text) for text in (theirs, ours)))


def rows():
    """Lines of row changes; those of other records are in `test_other_records.py`."""
    payloads = [(line, line["value"] and line["value"]["payload"]) for line in every_line()]
    changes = [line for line, payload in payloads if isinstance(payload, dict) and "op" in payload]
    return [line for line in changes if NOT_SIMPLE not in json.dumps(line["headers"]) and not has_old_date(line["key"])]


def has_old_date(key):
    """Whether a date is from before 1582, when Java's calendar is another."""
    dates = [f["field"] for f in key["schema"]["fields"] if f.get("name") == f"{NOT_SIMPLE}Date"] if key else ()
    return any(key["payload"][name] < FIRST_GREGORIAN for name in dates)


@pytest.mark.debezium
def test_keys_are_the_texts_of_kafkas_converter(connect_parts):
    ours = pipeline_of(unit_settings({"key.converter": STRING, "value.converter.schemas.enable": "false"}))
    assert_same(
        connect_parts,
        rows(),
        ours.made_of,
        key=Converter(STRING), value=NO_SCHEMAS, header=Converter(SIMPLE),
        same=same_but_for_bytes,
    )


@pytest.mark.debezium
def test_headers_are_the_texts_of_kafkas_default_converter(connect_parts):
    ours = pipeline_of(unit_settings({"value.converter.schemas.enable": "false", "key.converter": STRING} | properties_of(HEADERS)))
    assert_same(
        connect_parts,
        rows(),
        ours.made_of,
        HEADERS,
        key=Converter(STRING),
        value=NO_SCHEMAS,
        header=Converter(SIMPLE),
        same=same_but_for_bytes,
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.0"), (0.0, "0.0"), (-0.0, "-0.0"), (1e7, "1.0E7"), (9999999.0, "9999999.0"), (1.5e-3, "0.0015"), (9e-4, "9.0E-4"),
     (123456.75, "123456.75"), (1e100, "1.0E100"), (-2.5e-8, "-2.5E-8"), (float("nan"), "NaN"), (float("-inf"), "-Infinity"),
     (0.1, "0.1"), (100.0, "100.0"), (1234567.0, "1234567.0"), (1.2345678e7, "1.2345678E7")],
)  # fmt: skip
def test_a_floating_point_number_is_written_as_java_does(value, text):
    assert number_texts(np.array([value])) == [text]


def test_a_float32_has_the_digits_of_a_float32():
    assert number_texts(np.array([0.1, 16777216.0], np.float32)) == ["0.1", "1.6777216E7"]
