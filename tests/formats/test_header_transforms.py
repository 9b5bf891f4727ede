"""tailrace's InsertHeader, DropHeaders and HeaderFrom beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, all_same, kafka, same_chain
from tests.formats.typed_lines import TYPED

pytestmark = pytest.mark.debezium


LITERALS = (
    "12", "300", "-70000", "99999999999", "12345678901234567890", "1.5", "0.1", "1e39", "1e400", "-1.0", "abc", "a,b", "12,13",
    "2:3", "true", " false ", "2026-01-31", "12:34:56.789Z", "2026-01-31T12:34:56.789Z", "2026-01-0x", "  x ", '"q"', "+3", "12:34",
    "1e3", "-", "1.", "2026-02-31",
)  # fmt: skip
CASES = {
    "move": (kafka("HeaderFrom$Value", {"fields": "op,source", "headers": "a,b", "operation": "move"}),),
    "copy": (kafka("HeaderFrom$Value", {"fields": "after,op", "headers": "a,b", "operation": "copy"}),),
    "of keys": (kafka("HeaderFrom$Key", {"fields": "id", "headers": "a", "operation": "move"}),),
    "of rows with nulls": (
        ROWS,
        kafka(
            "HeaderFrom$Value", {"fields": "id", "headers": "a", "operation": "copy", "replace.null.with.default": "false"}
        ),
    ),
    "insert one that is there": (kafka("InsertHeader", {"header": "__debezium.newkey", "value.literal": "1"}),),
    "drop": (kafka("DropHeaders", {"headers": "__debezium.newkey,__debezium.context.taskId"}),),
}


@pytest.mark.parametrize("literal", LITERALS)
def test_a_literal_is_typed_as_kafka_does(connect_parts, literal):
    chain = (kafka("InsertHeader", {"header": "h", "value.literal": literal}),)
    assert same_chain(connect_parts, TYPED[:1], chain).records == 1


@pytest.mark.parametrize("case", CASES)
def test_headers_are_those_of_kafka(connect_parts, case):
    assert all_same(connect_parts, CASES[case]).records
