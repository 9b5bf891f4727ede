"""Decimals as text: the compiled loop beside Python's own decimals, which have Java's rules."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tailrace.changes.vectors import Kind
from tailrace.changes.views import vector_of
from tailrace.encoding.decimal_texts import decimal_texts
from tailrace.schema.decimals import decimal_bytes, decimal_text, java_decimal

NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.integers(-(2**63), 2**63 - 1), st.integers(-(10**65), 10**65))


def bytes_of(number):
    return decimal_bytes(Decimal(number), 0)


@given(st.lists(st.one_of(st.none(), NUMBERS), min_size=1, max_size=20), st.integers(-5, 40))
def test_a_column_of_decimals_is_written_as_java_does(numbers, scale):
    column = vector_of([None if number is None else bytes_of(number) for number in numbers], Kind.BYTES)
    texts = decimal_texts(column, scale).to_arrow().to_pylist()
    assert texts == [None if number is None else java_decimal(number, scale) for number in numbers]


def test_the_limits_of_eight_bytes_are_written():
    numbers = [-(2**63), 2**63 - 1, 2**63, 0, -1, 9, 10, -10]
    texts = decimal_texts(vector_of([bytes_of(number) for number in numbers], Kind.BYTES), 3).to_arrow().to_pylist()
    assert texts == [
        "-9223372036854775.808", "9223372036854775.807", "9223372036854775.808", "0.000", "-0.001", "0.009", "0.010", "-0.010",
    ]  # fmt: skip


def test_more_zeros_than_a_decimal_has_digits_of_are_taken_off():
    column = vector_of([b"\x00\x00\x05", b"\xff\xff\xfb"], Kind.BYTES)
    assert decimal_texts(column, 1).to_arrow().to_pylist() == ["0.5", "-0.5"]


def test_a_decimal_has_an_exponent_where_java_writes_one():
    assert [java_decimal(*each) for each in [(1300, 2), (-5, 3), (0, 2), (12, 0), (1, 9), (5, -3)]] == [
        "13.00", "-0.005", "0.00", "12", "1E-9", "5E+3"]  # fmt: skip


def test_both_forms_of_a_decimal_give_one_text():
    assert decimal_text(Decimal("-12.5"), 2) == decimal_text(bytes_of(-1250), 2) == "-12.50"
