"""tailrace's ExtractField beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, UNWRAP, all_same, kafka

pytestmark = pytest.mark.debezium


V2 = {"field.syntax.version": "V2"}
CASES = {
    "a struct": (kafka("ExtractField$Value", {"field": "after"}),),
    "a text": (kafka("ExtractField$Value", {"field": "op"}),),
    "a required field of an image": (kafka("ExtractField$Value", {"field": "after.id", **V2}),),
    "a default in an image": (kafka("ExtractField$Value", {"field": "after.tenant", **V2}),),
    "a default kept away": (kafka("ExtractField$Value", {"field": "after.tenant", "replace.null.with.default": "false", **V2}),),
    "a field of transactions": (kafka("ExtractField$Value", {"field": "transaction.total_order", **V2}),),
    "a field of schema changes, too": (kafka("ExtractField$Value", {"field": "source.snapshot", **V2}),),
    "a struct of schema changes, too, and a field of it": (
        kafka("ExtractField$Value", {"field": "source"}),
        kafka("ReplaceField$Value", {"include": "snapshot,ts_ms"}),
    ),
    "a key": (kafka("ExtractField$Key", {"field": "id"}),),
    "of nulls with schemas": (UNWRAP, kafka("ExtractField$Value", {"field": "id"})),
    "of rows": (ROWS, kafka("ExtractField$Value", {"field": "id"})),
}


@pytest.mark.parametrize("case", CASES)
def test_fields_are_extracted_as_kafka_does(connect_parts, case):
    assert all_same(connect_parts, CASES[case]).records
