"""ExtractChangedRecordState beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

TYPE = "io.debezium.transforms.ExtractChangedRecordState"
OPTIONS = {
    "both": {"header.changed.name": "changed", "header.unchanged.name": "unchanged"},
    "the changed ones": {"header.changed.name": "changed"},
    "the unchanged ones": {"header.unchanged.name": "unchanged"},
    "none": {},
    "blank": {"header.changed.name": " "},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("source", ["mysql: defaults", "sqlserver: types-decimal-string-binary-base64-time-connect"])
def test_the_names_of_changed_columns_are_the_same(connect_parts, source, options):
    lines = golden_lines(source)
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), schemas=[True])
    assert found.records == len(lines)
