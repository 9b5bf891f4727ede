"""tailrace's InsertField beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, all_same, kafka

pytestmark = pytest.mark.debezium


ALL = {"topic.field": "a.t", "partition.field": "a.p", "timestamp.field": "a.at!", "static.field": "a.s", "static.value": "x"}
KEPT = {"topic.field": "a.t!", "replace.null.with.default": "false"}


@pytest.mark.parametrize("part", ["Key", "Value"])
@pytest.mark.parametrize("options", [ALL, KEPT], ids=["all fields", "nulls kept"])
@pytest.mark.parametrize("before", [(), (ROWS,)], ids=["events", "rows"])
def test_fields_are_inserted_as_kafka_does(connect_parts, part, options, before):
    found = all_same(connect_parts, (*before, kafka(f"InsertField${part}", options)))
    assert found.records
    assert not found.failed


@pytest.mark.parametrize("options", [{"partition.field": "p!"}, {"static.field": "op", "static.value": "x"}])
def test_the_same_records_fail(connect_parts, options):
    found = all_same(connect_parts, (kafka("InsertField$Value", options),))
    assert found.failed > found.records
