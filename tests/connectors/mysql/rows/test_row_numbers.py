"""Integers, floating-point numbers, YEAR and BIT."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_events import values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage
from tailrace.connectors.mysql.rows import RowDecoder
from tailrace.errors import UnsupportedError


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8])
@given(data=st.data())
def test_signed_integers_of_every_width_keep_their_value(width, data):
    number = data.draw(st.integers(-(1 << (8 * width - 1)), (1 << (8 * width - 1)) - 1))
    assert values(ColumnPlan(Storage.INT, width), number.to_bytes(width, "little", signed=True)) == [number]


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@given(data=st.data())
def test_unsigned_integers_of_every_width_keep_their_value(width, data):
    number = data.draw(st.integers(0, (1 << (8 * width)) - 1))
    assert values(ColumnPlan(Storage.INT, width, unsigned=True), number.to_bytes(width, "little")) == [number]


def test_an_unsigned_bigint_beyond_int64_wraps():
    assert values(ColumnPlan(Storage.INT, 8, unsigned=True), b"\xff" * 8, b"\x00" * 7 + b"\x80") == [
        -1,
        -(1 << 63),
    ]


@given(st.integers(0, (1 << 64) - 1))
def test_an_unsigned_bigint_as_an_unscaled_number_is_the_shortest_twos_complement(number):
    plan = ColumnPlan(Storage.INT, 8, Out.UNSCALED, unsigned=True)
    (value,) = values(plan, number.to_bytes(8, "little"))
    assert int.from_bytes(value, "big", signed=True) == number
    assert len(value) == number.bit_length() // 8 + 1


@given(st.integers(0, (1 << 64) - 1), st.booleans())
def test_a_bigint_as_text_has_its_digits(number, unsigned):
    plan = ColumnPlan(Storage.INT, 8, Out.DECIMAL_TEXT, unsigned=unsigned)
    expected = number if unsigned or number < 1 << 63 else number - (1 << 64)
    assert values(plan, number.to_bytes(8, "little")) == [str(expected)]


@given(st.floats(width=32, allow_nan=False))
def test_floats_keep_their_bits_and_widen_without_change(number):
    assert values(ColumnPlan(Storage.FLOAT, 4, Out.FLOAT32), struct.pack("<f", number)) == [number]
    assert values(ColumnPlan(Storage.FLOAT, 4, Out.FLOAT64), struct.pack("<f", number)) == [number]


@given(st.floats(allow_nan=False))
def test_doubles_keep_their_bits(number):
    (value,) = values(ColumnPlan(Storage.DOUBLE, 8, Out.FLOAT64), struct.pack("<d", number))
    assert struct.pack("<d", value) == struct.pack("<d", number)


def test_years_count_from_1900_and_the_year_zero_is_1900():
    assert values(ColumnPlan(Storage.YEAR), b"\x00", b"\x01", b"\xff", None) == [1900, 1901, 2155, None]


def test_a_single_bit_is_a_boolean():
    assert values(ColumnPlan(Storage.BIT, 1, Out.BIT_BOOL), b"\x00", b"\x01", None) == [False, True, None]


@given(st.integers(1, 64), st.data())
def test_bits_come_out_lowest_byte_first(bits, data):
    number = data.draw(st.integers(0, (1 << bits) - 1))
    width = (bits + 7) // 8
    assert values(ColumnPlan(Storage.BIT, bits, Out.BIT_BYTES), number.to_bytes(width, "big")) == [
        number.to_bytes(width, "little")
    ]


def test_nulls_stand_where_they_stood():
    assert values(ColumnPlan(Storage.INT, 4), None, b"\x01\0\0\0", None, None, b"\x02\0\0\0") == [
        None,
        1,
        None,
        None,
        2,
    ]


def test_a_combination_that_makes_no_sense_is_refused_by_name():
    with pytest.raises(UnsupportedError, match="column 2: a value of DOUBLE can't come out as HEX"):
        RowDecoder([ColumnPlan(Storage.INT, 4), ColumnPlan(Storage.DOUBLE, 8, Out.HEX)])


def test_a_real_is_a_double_that_comes_out_as_the_nearest_float():
    plan = ColumnPlan(Storage.DOUBLE, 8, Out.FLOAT32)
    found = values(plan, struct.pack("<d", 1.25), None, struct.pack("<d", 0.1))
    assert found == [1.25, None, struct.unpack("<f", struct.pack("<f", 0.1))[0]]
