"""SwapGeometryCoordinates, GeometryFormatTransformer and VectorToJsonConverter beside Debezium's."""

import pytest
from tests.formats.chains import assert_as_real
from tests.formats.connect_parts import Transform
from tests.formats.golden_lines import golden_lines

pytestmark = pytest.mark.debezium

SWAP = "io.debezium.transforms.SwapGeometryCoordinates"
FORMAT = "io.debezium.transforms.GeometryFormatTransformer"
VECTORS = "io.debezium.transforms.VectorToJsonConverter"
UNWRAP = Transform("io.debezium.transforms.ExtractNewRecordState")


def lines_of(*endings):
    return [line for line in golden_lines("mysql: defaults") if line["topic"].endswith(endings)]


@pytest.mark.parametrize("options", [{}, {"srids": "0,4326, 3857"}, {"srids": "1"}], ids=str)
def test_coordinates_are_swapped_alike(connect_parts, options):
    lines = lines_of("geos", "customers", "dbz")
    assert assert_as_real(connect_parts, lines, Transform(SWAP, options), schemas=[False]).records == len(lines)


@pytest.mark.parametrize("format_", ["wkb", "ewkb"])
def test_formats_are_converted_alike(connect_parts, format_):
    lines = lines_of("geos", "customers")
    found = assert_as_real(connect_parts, lines, Transform(FORMAT, {"format": format_}), alone=True, schemas=[False])
    assert found.records + found.failed == len(lines)


@pytest.mark.parametrize("chain", [[], [UNWRAP]], ids=["envelopes", "rows"])
def test_vectors_become_the_same_text(connect_parts, chain):
    lines = lines_of("vectors", "customers", "dbz")
    found = assert_as_real(connect_parts, lines, *chain, Transform(VECTORS), schemas=[True])
    assert found.records + found.failed + found.dropped == len(lines)
