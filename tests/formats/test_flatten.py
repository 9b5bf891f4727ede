"""tailrace's Flatten beside Kafka's."""

import pytest
from tests.formats.chains import ROWS, UNWRAP, all_same, kafka
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium


CASES = {
    "events": (kafka("Flatten$Value"),),
    "another delimiter": (kafka("Flatten$Value", {"delimiter": "_"}),),
    "keys": (kafka("Flatten$Key", {"delimiter": "_"}),),
    "rows": (ROWS, kafka("Flatten$Value")),
    "nulls with schemas": (UNWRAP, kafka("Flatten$Value")),
    "hoisted rows": (ROWS, kafka("HoistField$Value", {"field": "x"}), kafka("Flatten$Value")),
}


@pytest.mark.parametrize("case", CASES)
def test_structs_become_flat_as_with_kafka(connect_parts, case):
    found = all_same(connect_parts, CASES[case])
    assert found.records
    assert not found.failed


@pytest.mark.parametrize("source", ["mysql: time connect, decimal string", "sqlserver: default-values-other-modes"])
def test_rows_of_all_types_become_flat_as_with_kafka(connect_parts, source):
    assert all_same(connect_parts, CASES["events"], golden_lines(source)).records
