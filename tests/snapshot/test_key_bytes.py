"""Keys as bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.snapshot.key_bytes import key_bytes

NUMBERS = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
STRINGS = st.one_of(st.none(), st.binary(max_size=30))


def plain(row) -> bytes:
    """The same bytes, made one by one."""
    found = b""
    for value in row:
        if value is None:
            found += b"\xff\xff\xff\xff"
        elif isinstance(value, int):
            found += b"\x08\0\0\0" + value.to_bytes(8, "little", signed=True)
        else:
            found += len(value).to_bytes(4, "little") + value
    return found


def numbers(values) -> Vector:
    data = np.array([v or 0 for v in values], np.int64)
    valid = np.packbits([v is not None for v in values], bitorder="little") if None in values else None
    return Vector(Kind.INT, len(values), data, valid)


@given(st.lists(st.tuples(NUMBERS, STRINGS, STRINGS), min_size=1, max_size=40))
def test_each_value_has_its_length_before_it(rows):
    first, second, third = zip(*rows, strict=True)
    vectors = [numbers(first), vector_of(second, Kind.BYTES), vector_of(third, Kind.BYTES)]
    found = key_bytes(vectors)
    assert [found[i] for i in range(len(rows))] == [plain(row) for row in rows]


def test_values_in_several_buffers_are_found():
    vector = vector_of([b"a" * 13, b"b" * 14, b"c" * 5], Kind.BYTES)
    vector.buffers = (vector.buffers[0], np.frombuffer(b"?" + b"B" * 14, np.uint8))
    vector.data[1, 2:] = 1, 1
    assert [key_bytes([vector])[i] for i in range(3)] == [plain([v]) for v in (b"a" * 13, b"B" * 14, b"c" * 5)]


def test_no_rows_give_no_keys():
    assert len(key_bytes([numbers([])])) == 0
    assert len(key_bytes([vector_of([], Kind.BYTES)])) == 0
