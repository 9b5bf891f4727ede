"""tailrace's ValueToKey beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, UNWRAP, all_same, kafka

pytestmark = pytest.mark.debezium


CASES = {
    "of an event": (kafka("ValueToKey", {"fields": "op,source"}),),
    "of a row": (UNWRAP, kafka("ValueToKey", {"fields": "id"})),
    "with nulls": (ROWS, kafka("ValueToKey", {"fields": "id", "replace.null.with.default": "false"})),
}


@pytest.mark.parametrize("case", CASES)
def test_keys_are_made_as_kafka_does(connect_parts, case):
    found = all_same(connect_parts, CASES[case])
    assert found.records
    assert found.failed  # tombstones, and tables without such a column
