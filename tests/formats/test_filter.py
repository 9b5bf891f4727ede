"""tailrace's Filter beside Kafka's."""

import pytest
from tests.formats.chains import all_same, kafka
from tests.formats.connect_parts import Predicate

pytestmark = pytest.mark.debezium


PREDICATES = "org.apache.kafka.connect.transforms.predicates."


def test_all_records_are_dropped(connect_parts):
    assert all_same(connect_parts, (kafka("Filter"),)).records == 0


@pytest.mark.parametrize(
    "predicate",
    [
        Predicate(f"{PREDICATES}RecordIsTombstone"),
        Predicate(f"{PREDICATES}TopicNameMatches", {"pattern": r".*\.d_formats\..*"}),
        Predicate(f"{PREDICATES}HasHeaderKey", {"name": "__debezium.newkey"}),
    ],
)
def test_records_are_dropped_that_a_predicate_is_true_of(connect_parts, predicate):
    found = all_same(connect_parts, (kafka("Filter", predicate=predicate),))
    assert found.dropped
    assert found.records
