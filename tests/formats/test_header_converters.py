"""Headers beside Kafka's converters: nulls, single values of all types, structs."""

import pytest
from tests.formats.comparing import assert_same, same_bytes, same_json
from tests.formats.connect_parts import JSON, JSON_WITH_SCHEMAS, SIMPLE_HEADERS, Converter
from tests.formats.encoders import ours
from tests.formats.golden_lines import every_line
from tests.formats.made_lines import BYTES, DECIMAL, DOUBLE, FLOAT, TEXT, TEXT_OR_NULL, logical, message

from tailrace.converter_classes import STRING

MOMENTS = [0, 1, 86_400_000, 1_767_323_045_678, -86_400_000, -5, 86_399_999]
SINGLE = {
    "null": [message(TEXT_OR_NULL, None)],
    "text": [message(TEXT, 'a"b\\c\nd\u00e9')],
    "double": [message(DOUBLE, value) for value in (1e10, 0.1, -0.5, 123456789.125)],
    "float": [message(FLOAT, value) for value in (1e10, 0.5)],
    "decimal": [message(DECIMAL, value) for value in ("BNI=", "/w==", "AP////////////8=")],
    "bytes": [message(BYTES, value) for value in ("", "AAE=", "eHl6")],
    "day": [message(logical("int32", "Date"), value) for value in (0, 1, 20455, -1)],
    "time": [message(logical("int32", "Time"), value) for value in (0, 1234, 86_399_999)],
    "moment": [message(logical("int64", "Timestamp"), value) for value in MOMENTS],
}


def headed():
    """Lines with one header each."""
    line = {"partition": None, "timestamp": 5, "key": message(TEXT, "k"), "value": message(TEXT, "v")}
    return [{**line, "topic": name, "headers": [[name, each]]} for name, messages in SINGLE.items() for each in messages]


@pytest.mark.debezium
@pytest.mark.parametrize("header", [SIMPLE_HEADERS, JSON, JSON_WITH_SCHEMAS, Converter(STRING)], ids=lambda each: each.type)
def test_single_values_in_headers_are_those_of_kafkas_converter(connect_parts, header):
    lines = headed() if header.type != STRING else [each for each in headed() if each["headers"][0][0] != "bytes"]
    same = same_json if "Json" in header.type else same_bytes
    assert assert_same(connect_parts, lines, ours(header=header), header=header, same=same).records == len(lines)


@pytest.mark.debezium
def test_headers_of_golden_lines_are_those_of_kafkas_default_converter(connect_parts):
    lines = [line for line in every_line() if line["headers"]]
    assert assert_same(connect_parts, lines, ours(header=SIMPLE_HEADERS), header=SIMPLE_HEADERS, same=same_json).records > 10
