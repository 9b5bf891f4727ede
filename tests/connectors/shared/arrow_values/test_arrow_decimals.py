"""Decimals of up to 38 digits, in each form."""

from __future__ import annotations

from decimal import Context, Decimal

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.vectors import Vector
from tailrace.connectors.shared.arrow_values import decimals

MOST = 10**38 - 1
DIGITS = Context(prec=60)
UNSCALED = st.lists(st.none() | st.integers(-MOST, MOST) | st.integers(-(2**64), 2**64) | st.integers(-200, 200))
SCALES = st.integers(0, 38)


def array(unscaled: list[int | None], scale: int) -> pa.Array:
    values = [None if number is None else Decimal(number).scaleb(-scale, DIGITS) for number in unscaled]
    return pa.array(values, pa.decimal128(38, scale))


def listed(vector: Vector, type_: pa.DataType) -> list[object]:
    found: list[object] = vector.to_arrow().cast(type_).to_pylist()
    return found


def shortest(number: int) -> bytes:
    size = 1
    while not -(1 << 8 * size - 1) <= number < 1 << 8 * size - 1:
        size += 1
    return number.to_bytes(size, "big", signed=True)


@given(UNSCALED, SCALES)
def test_precise_decimals_are_the_shortest_bytes_of_their_unscaled_values(unscaled: list[int | None], scale: int) -> None:
    found = listed(decimals.unscaled(array(unscaled, scale), scale), pa.large_binary())
    assert found == [None if number is None else shortest(number) for number in unscaled]


@given(UNSCALED, SCALES)
def test_texts_of_decimals_have_all_digits_of_their_scale(unscaled: list[int | None], scale: int) -> None:
    values = array(unscaled, scale)
    expected = [None if value is None else f"{value:.{scale}f}" for value in values.to_pylist()]
    assert listed(decimals.texts(values, scale), pa.large_string()) == expected


@given(UNSCALED, SCALES)
def test_doubles_of_decimals_are_the_nearest_there_are(unscaled: list[int | None], scale: int) -> None:
    values = array(unscaled, scale)
    expected = [None if value is None else float(value) for value in values.to_pylist()]
    assert listed(decimals.doubles(values, scale), pa.float64()) == expected


@given(UNSCALED, st.integers(0, 5))
def test_a_part_of_an_array_gives_its_own_values(unscaled: list[int | None], start: int) -> None:
    part = array(unscaled, 2).slice(start)
    found = listed(decimals.unscaled(part, 2), pa.large_binary())
    assert found == [None if number is None else shortest(number) for number in unscaled[start:]]


def test_values_of_another_scale_are_brought_to_the_columns() -> None:
    given_as = pa.array([Decimal("1.5"), Decimal("-2.0")], pa.decimal128(5, 1))
    assert listed(decimals.texts(given_as, 3), pa.large_string()) == ["1.500", "-2.000"]
    assert listed(decimals.texts(pa.array([7], pa.int64()), 2), pa.large_string()) == ["7.00"]
