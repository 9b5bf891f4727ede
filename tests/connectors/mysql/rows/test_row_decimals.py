"""DECIMAL in its three forms, against Python's decimal."""

from decimal import Decimal, localcontext

from hypothesis import example, given
from hypothesis import strategies as st
from row_events import values

from tailrace.connectors.mysql.plan import ColumnPlan, Out, Storage

SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4]


def encoded(unscaled: int, precision: int, scale: int) -> bytes:
    """A decimal as MySQL stores it."""
    digits = str(abs(unscaled)).rjust(precision, "0")
    whole, fraction = digits[: precision - scale], digits[precision - scale :]
    first = len(whole) % 9
    groups = [whole[:first]] + [whole[i : i + 9] for i in range(first, len(whole), 9)]
    groups += [fraction[i : i + 9] for i in range(0, len(fraction), 9)]
    raw = bytearray(b"".join(int(g).to_bytes(SIZES[len(g)], "big") for g in groups if g))
    raw[0] ^= 0x80
    return bytes(b ^ 0xFF for b in raw) if unscaled < 0 else bytes(raw)


@st.composite
def decimals(draw):
    precision = draw(st.integers(1, 65))
    scale = draw(st.integers(0, min(30, precision)))
    digits = draw(st.integers(0, precision))
    unscaled = draw(st.integers(-(10**digits) + 1, 10**digits - 1))
    return unscaled, precision, scale


def exactly(unscaled: int, scale: int) -> Decimal:
    with localcontext() as context:
        context.prec = 80
        return Decimal(unscaled).scaleb(-scale)


def plan(precision, scale, out):
    return ColumnPlan(Storage.DECIMAL, precision << 8 | scale, out)


@given(decimals())
@example((0, 18, 0))
@example((10**18 - 1, 18, 9))
@example((-(10**18) + 1, 18, 18))
@example((128, 19, 0))
@example((-128, 19, 0))
@example((-(10**65) + 1, 65, 30))
def test_the_unscaled_value_is_the_shortest_twos_complement(case):
    unscaled, precision, scale = case
    (value,) = values(plan(precision, scale, Out.UNSCALED), encoded(*case))
    assert int.from_bytes(value, "big", signed=True) == unscaled
    assert len(value) == (unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8 + 1


@given(decimals())
@example((-5, 5, 2))
@example((5, 2, 2))
def test_text_has_all_digits_of_the_scale(case):
    unscaled, precision, scale = case
    assert values(plan(precision, scale, Out.DECIMAL_TEXT), encoded(*case)) == [
        f"{exactly(unscaled, scale):f}"
    ]


@given(decimals())
@example((9007199254740993, 17, 1))
@example((12345678901234567890123, 30, 20))
def test_doubles_are_the_nearest(case):
    unscaled, precision, scale = case
    expected = float(f"{exactly(unscaled, scale):f}")
    assert values(plan(precision, scale, Out.FLOAT64), encoded(*case), None) == [expected, None]


def test_zero_stored_with_a_sign_has_none():
    assert values(plan(4, 2, Out.DECIMAL_TEXT), bytes(b ^ 0xFF for b in encoded(0, 4, 2))) == ["0.00"]
