"""SchemaChangeEventFilter and ExtractSchemaToNewRecord beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines, sources

pytestmark = pytest.mark.debezium

FILTER = "io.debezium.transforms.SchemaChangeEventFilter"
EXTRACT = "io.debezium.transforms.ExtractSchemaToNewRecord"


@pytest.mark.parametrize("kinds", ["CREATE", "ALTER, DROP", "DATABASE", "TRUNCATE,CREATE,DATABASE"])
def test_the_same_schema_changes_are_dropped(connect_parts, kinds):
    lines = [line for source in sources() for line in golden_lines(source) if line["topic"] in ("dbz", "dbz.transaction")]
    options = {"schema.change.event.exclude.list": kinds}
    found = assert_as_real(connect_parts, lines, Transform(FILTER, options), schemas=[False])
    assert found.records + found.dropped == len(lines)


@pytest.mark.parametrize("options", [{}, {"schema.name.adjustment.mode": "avro"}], ids=["names as they are", "for avro"])
@pytest.mark.parametrize("source", ["mysql: propagated, names for avro", "db2: types-propagated"])
def test_envelopes_get_the_same_columns(connect_parts, source, options):
    lines = [line for line in golden_lines(source) if "customers" in line["topic"] or "NUMBERS" in line["topic"]]
    found = assert_as_real(connect_parts, lines, Transform(EXTRACT, options), schemas=[True])
    assert found.records == len(lines)


def test_envelopes_without_types_of_columns_fail(connect_parts):
    lines = [line for line in golden_lines("mysql: defaults") if line["topic"].endswith(("d_keys.pk", "dbz"))]
    found = assert_as_real(connect_parts, lines, Transform(EXTRACT), schemas=[True])
    assert found.failed > 5
