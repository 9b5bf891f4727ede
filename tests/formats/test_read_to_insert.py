"""ReadToInsertEvent beside Debezium's."""

import pytest
from tests.formats.connect_parts import Transform
from tests.formats.debezium_transforms import assert_as_real
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.connector.mysql.transforms.ReadToInsertEvent"


@pytest.mark.parametrize("source", ["snapshots: initial-with-schemas", "snapshots: incremental-with-schemas"])
def test_rows_of_a_snapshot_become_the_same_inserts(connect_parts, source):
    lines = golden_lines(source)
    found = assert_as_real(connect_parts, lines, Transform(TYPE), schemas=[False])
    assert found.records == len(lines)
