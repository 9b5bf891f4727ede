"""ExtractChangedRecordState beside Debezium's.

The lines' bytes are byte arrays to the real one here, which are equal to none; those of a connector are mostly buffers, which
are equal by content. So lines with bytes are left out.
"""

import pytest
from tests.formats.connect_parts import Transform
from tests.formats.debezium_transforms import assert_as_real
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


def has_bytes(schema):
    is_array = schema["type"] == "bytes" and not schema.get("name", "").endswith(".Decimal")
    return is_array or any(map(has_bytes, schema.get("fields", ())))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("source", ["mysql: defaults", "sqlserver: types-decimal-string-binary-base64-time-connect"])
def test_the_names_of_changed_columns_are_the_same(connect_parts, source, options):
    lines = [line for line in golden_lines(source) if line["value"] is None or not has_bytes(line["value"]["schema"])]
    found = assert_as_real(connect_parts, lines, Transform(TYPE, options), schemas=[True])
    assert found.records == len(lines)
