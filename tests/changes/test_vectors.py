"""Vectors made of Arrow arrays."""

import pyarrow as pa
import pytest

from tailrace.changes.vectors import from_arrow

LONG = "a text of more than twelve bytes"
ARRAYS = [
    pa.array([1, None, 3, 4], pa.int32()),
    pa.array([True, False, None, True]),
    pa.array([0.5, 1.5, None, 2.5], pa.float32()),
    pa.array([0.5, 1.5, None, 2.5], pa.float64()),
    pa.array(["ab", LONG, None, "ž"], pa.large_string()),
    pa.array([b"ab", LONG.encode(), None, b""], pa.binary()),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
@pytest.mark.parametrize("part", [slice(0, 4), slice(1, 4), slice(1, 3), slice(2, 2)], ids=str)
def test_a_vector_of_a_part_of_an_array_has_its_values(array, part):
    cut = array.slice(part.start, part.stop - part.start)
    vector = from_arrow(cut)
    assert vector.length == len(cut)
    assert vector.to_arrow().cast(array.type).to_pylist() == cut.to_pylist()
