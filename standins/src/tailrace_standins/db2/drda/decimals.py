"""Decimals as bytes: packed, and DECFLOAT as IEEE 754-2008 decimal64 and decimal128 in densely packed decimal.

DECFLOAT is sent with its highest byte first, whatever TYPDEFNAM says: no driver reads it the other way.

Sources: DRDA V5 volume 2, "FD:OCA", packed decimal; IEEE 754-2008 3.5.2, tables 3.3 and 3.4
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import cache
from typing import Final

from tailrace_standins.db2.drda.cursor import ProtocolError

_WIDE: Final = Context(prec=80)
_NEGATIVE: Final = {0xB, 0xD}


def packed(value: Decimal, precision: int, scale: int) -> bytes:
    """The packed form: two digits a byte, the sign in the last half; raises `ValueError` if it has more digits.

    Fractional digits beyond the scale are cut, as Db2 does when it assigns a number.
    """
    scaled = int(value.scaleb(scale, _WIDE))
    digits = str(abs(scaled))
    if len(digits) > precision:
        raise ValueError(f"{value} does not fit DECIMAL({precision},{scale})")
    return bytes.fromhex(digits.zfill(packed_width(precision) * 2 - 1) + ("d" if scaled < 0 else "c"))


def unpacked(data: bytes, scale: int) -> Decimal:
    """The value of a packed decimal; raises `ProtocolError` if it has other digits."""
    text = data.hex()
    if not text[:-1].isdecimal():
        raise ProtocolError(f"no packed decimal: {text}")
    sign = 1 if int(text[-1], 16) in _NEGATIVE else 0
    return Decimal((sign, tuple(int(digit) for digit in text[:-1].lstrip("0") or "0"), -scale))


def packed_width(precision: int) -> int:
    """The bytes of a packed decimal."""
    return precision // 2 + 1


@dataclass(frozen=True, slots=True)
class _Format:
    digits: int
    bias: int
    continuation: int  # bits of the exponent after the combination field
    bits: int


_FORMATS: Final = {8: _Format(16, 398, 8, 64), 16: _Format(34, 6176, 12, 128)}
_INFINITY, _NAN, _SIGNALING = 0b11110, 0b11111, 1


def decfloat(value: Decimal, width: int) -> bytes:
    """A decimal64 (width 8) or decimal128 (width 16); digits beyond the format's are rounded, half to even."""
    form = _FORMATS[width]
    sign, digits, exponent = value.as_tuple()
    if isinstance(exponent, str):
        lead = _INFINITY if exponent == "F" else _NAN
        more = _SIGNALING if exponent == "N" else 0
        top = sign << 5 | lead
        return _joined(form, top, more << (form.continuation - 1), "0" * (form.digits - 1))
    top_exponent = 3 * (1 << form.continuation) - 1 - form.bias
    context = Context(
        prec=form.digits, Emin=form.digits - 1 - form.bias, Emax=top_exponent + form.digits - 1, clamp=1,
        rounding=ROUND_HALF_EVEN, traps=[],
    )  # fmt: skip
    rounded = context.plus(value) if value else context.create_decimal(value)
    if rounded.is_infinite():
        return decfloat(rounded, width)
    sign, digits, exponent = rounded.as_tuple()
    text = "".join(map(str, digits)).rjust(form.digits, "0")
    biased, first = int(exponent) + form.bias, int(text[0])
    high, low = biased >> form.continuation, biased & ((1 << form.continuation) - 1)
    combination = high << 3 | first if first < 8 else 0b11000 | high << 1 | (first & 1)
    return _joined(form, sign << 5 | combination, low, text[1:])


def from_decfloat(data: bytes) -> Decimal:
    """The value of a decimal64 or decimal128."""
    form = _FORMATS[len(data)]
    number = int.from_bytes(data, "big")
    declets = (form.digits - 1) // 3
    coefficient = [(number >> 10 * place) & 0x3FF for place in reversed(range(declets))]
    low = (number >> 10 * declets) & ((1 << form.continuation) - 1)
    combination = (number >> (10 * declets + form.continuation)) & 0x1F
    sign = number >> (form.bits - 1)
    if combination in {_INFINITY, _NAN}:
        name = "Infinity" if combination == _INFINITY else "sNaN" if low >> (form.continuation - 1) else "NaN"
        return Decimal(f"-{name}" if sign else name)
    if combination < 0b11000:
        high, first = combination >> 3, combination & 7
    else:
        high, first = (combination >> 1) & 3, 8 | (combination & 1)
    text = str(first) + "".join(_digits()[declet] for declet in coefficient)
    exponent = (high << form.continuation | low) - form.bias
    return Decimal((sign, tuple(int(digit) for digit in text.lstrip("0") or "0"), exponent))


def _joined(form: _Format, top: int, low: int, text: str) -> bytes:
    number = top << form.continuation | low
    for at in range(0, len(text), 3):
        number = number << 10 | _declets()[text[at : at + 3]]
    return number.to_bytes(form.bits // 8, "big")


@cache
def _declets() -> dict[str, int]:
    return {f"{number:03d}": _declet(*divmod(number, 100)) for number in range(1000)}


@cache
def _digits() -> dict[int, str]:
    """Digits by declet; each of the 24 declets that nobody writes means what a written one means."""
    found = {declet: digits for digits, declet in _declets().items()}
    for declet in range(1024):
        if declet not in found:
            found[declet] = found[declet & 0x0FF]
    return found


def _declet(hundreds: int, rest: int) -> int:
    """Three digits in ten bits: a small digit keeps three bits, a large one (8, 9) its last."""
    tens, ones = divmod(rest, 10)
    x, y, z = hundreds, tens, ones
    large = (x > 7, y > 7, z > 7)
    a, b, c = x & 1, y & 1, z & 1
    if not any(large):
        return x << 7 | y << 4 | z
    if large == (False, False, True):
        return x << 7 | y << 4 | 0b1000 | c
    if large == (False, True, False):
        return x << 7 | (z >> 1) << 5 | b << 4 | 0b1010 | c
    if large == (True, False, False):
        return (z >> 1) << 8 | a << 7 | y << 4 | 0b1100 | c
    if large == (True, True, False):
        return (z >> 1) << 8 | a << 7 | b << 4 | 0b1110 | c
    if large == (True, False, True):
        return (y >> 1) << 8 | a << 7 | 0b01 << 5 | b << 4 | 0b1110 | c
    if large == (False, True, True):
        return x << 7 | 0b10 << 5 | b << 4 | 0b1110 | c
    return a << 7 | 0b11 << 5 | b << 4 | 0b1110 | c
