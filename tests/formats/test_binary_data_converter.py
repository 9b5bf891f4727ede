"""Debezium's BinaryDataConverter beside the real one: bytes as they are, and its delegate for everything else."""

import pytest
from tests.formats.comparing import assert_same, same_bytes
from tests.formats.connect_parts import JSON_WITH_SCHEMAS, Converter
from tests.formats.encoders import ours
from tests.formats.golden_lines import golden_lines
from tests.formats.test_plain_converters import headed, whole_values

from tailrace.converter_classes import BINARY_DATA, NUMBERS, OLD_BINARY_DATA, STRING

INNER = "delegate.converter.type"
DELEGATES = {
    "none": {},
    "JSON": {INNER: JSON_WITH_SCHEMAS.type},
    "JSON without schemas": {INNER: JSON_WITH_SCHEMAS.type, f"{INNER}.schemas.enable": "false"},
    "text": {INNER: STRING, f"{INNER}.converter.encoding": "UTF-16"},
    "numbers": {INNER: next(iter(NUMBERS))},
}
NOT_TEXT = ("day", "raw", "moment", "time")  # Java's calendar and zone, and where its bytes are


def lines_for(case):
    """What Java's text depends on its machine for is left out."""
    values = whole_values()
    if case == "text":
        return [line for line in values if line["topic"].partition(".")[2] not in NOT_TEXT]
    return [*values, *golden_lines("sqlserver: heartbeats")[:4]]


@pytest.mark.debezium
@pytest.mark.parametrize("case", DELEGATES)
@pytest.mark.parametrize("name", [BINARY_DATA, OLD_BINARY_DATA])
def test_values_are_those_of_debeziums_converter(connect_parts, name, case):
    converter = Converter(name, DELEGATES[case])
    found = assert_same(connect_parts, lines_for(case), ours(value=converter), value=converter, same=same_bytes)
    assert found.records > 10


@pytest.mark.debezium
def test_headers_have_no_delegate(connect_parts):
    converter = Converter(BINARY_DATA, DELEGATES["JSON"])
    lines = [headed(each) for each in whole_values() if each["value"]]
    found = assert_same(connect_parts, lines, ours(header=converter), header=converter, same=same_bytes)
    assert found.failed > 10
