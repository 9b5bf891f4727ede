"""Geometries and vectors."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import prefixed, values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.errors import LogFormatError


def point(x, y, srid=0):
    return srid.to_bytes(4, "little") + struct.pack("<BIdd", 1, 1, x, y)


def test_a_point_has_its_coordinates_and_its_wkb():
    plan = ColumnPlan(Storage.GEOMETRY, 4, Out.POINT)
    raw = point(4.3, 52.1, 4326)
    assert values(plan, prefixed(raw, 4), None) == [{"x": 4.3, "y": 52.1, "wkb": raw[4:], "srid": 4326}, None]


def test_the_srid_zero_is_null():
    plan = ColumnPlan(Storage.GEOMETRY, 4, Out.GEOMETRY)
    line = bytes(4) + struct.pack("<BIIdddd", 1, 2, 2, 0, 0, 1, 1)
    assert values(plan, None, prefixed(line, 4)) == [None, {"wkb": line[4:], "srid": None}]


def test_a_point_in_big_endian_wkb():
    raw = bytes(4) + struct.pack(">BIdd", 0, 1, 1.5, -2.5)
    (value,) = values(ColumnPlan(Storage.GEOMETRY, 4, Out.POINT), prefixed(raw, 4))
    assert (value["x"], value["y"]) == (1.5, -2.5)


@pytest.mark.parametrize("raw", [b"", b"\0\0\0\0", point(1, 2)[:-1], point(1, 2) + b"\0"])
def test_what_is_no_point_stops_with_its_place(raw):
    with pytest.raises(LogFormatError, match="damaged GEOMETRY"):
        values(ColumnPlan(Storage.GEOMETRY, 4, Out.POINT), prefixed(raw, 4))


@given(st.lists(st.one_of(st.none(), st.lists(st.floats(width=32, allow_nan=False), max_size=8)), min_size=1))
def test_vectors_are_lists_of_floats(rows):
    plan = ColumnPlan(Storage.VECTOR, 4, Out.FLOATS)
    raw = [None if r is None else prefixed(struct.pack(f"<{len(r)}f", *r), 4) for r in rows]
    assert values(plan, *raw) == rows


def test_a_vector_with_half_a_number_stops_with_its_place():
    with pytest.raises(LogFormatError, match="part of a number"):
        values(ColumnPlan(Storage.VECTOR, 4, Out.FLOATS), prefixed(b"\0" * 6, 4))
