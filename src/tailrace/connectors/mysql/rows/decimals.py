# ruff: noqa: SIM110 -- compiled loops take what they need by position, and compare plainly
# mypy: disable-error-code="no-any-return, assignment"
"""DECIMAL: up to 65 digits in groups of nine, as an unscaled number, as text or as a double.

A value is stored as its integer digits and then its fractional digits, each cut into groups of nine from the
point outwards; a group takes four bytes, a shorter one at either end as few as it needs. The first bit is
inverted, and all bits are inverted where the number is negative. Source: MySQL, `strings/decimal.cc`, comment
of `decimal2bin`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.rows.raw import big, mark, offset_of
from tailrace.connectors.shared.number_text import put_short, put_unscaled
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import float64_bits, put_view, store64
from tailrace.kernels.compiling import Int, compiled, entry, inlined

_BYTES: Final = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 4], np.int64)  # of a group of so many digits
_POWERS: Final = np.array([10**n for n in range(19)], np.int64)
_EXACT_POWERS: Final = np.array([10.0**n for n in range(23)], np.float64)  # those that a double holds exactly
_NINE: Final = 1_000_000_000
_LIMBS: Final = 8  # of 32 bits: 65 digits need 216


@compiled
def decimal_size(precision: Int, scale: Int) -> Int:
    """How many bytes a DECIMAL of that type takes."""
    whole = precision - scale
    return whole // 9 * 4 + _BYTES[whole % 9] + scale // 9 * 4 + _BYTES[scale % 9]


@inlined
def small_decimal(data: Any, o: Int, precision: Int, scale: Int) -> Int:
    """The unscaled value of a DECIMAL of at most 18 digits."""
    lead = _BYTES[(precision - scale) % 9]
    full = (precision - scale) // 9 + scale // 9
    tail = scale % 9
    inverted = np.int64(-1) if data[o] < 128 else np.int64(0)
    value = np.int64(0)
    flip = np.int64(128)
    if lead > 0:
        value = _group(data, o, lead, inverted, flip)
        flip = 0
        o += lead
    for _ in range(full):
        value = value * _NINE + _group(data, o, 4, inverted, flip)
        flip = 0
        o += 4
    if tail > 0:
        value = value * _POWERS[tail] + _group(data, o, _BYTES[tail], inverted, flip)
    return (value ^ inverted) - inverted


@inlined
def _group(data: Any, o: Int, n: Int, inverted: Int, flip: Int) -> Int:
    """One group's digits as a number; `flip` is 128 for the first group, whose highest bit is inverted."""
    return big(data, o, n) ^ (inverted & ((np.int64(1) << (8 * n)) - 1)) ^ (flip << (8 * n - 8))


@compiled
def _large_decimal(data: Any, o: Int, precision: Int, scale: Int, limbs: Any) -> bool:
    """The absolute unscaled value of any DECIMAL as limbs, lowest first; True for a negative number."""
    lead = (precision - scale) % 9
    full = (precision - scale) // 9 + scale // 9
    tail = scale % 9
    inverted = np.int64(-1) if data[o] < 128 else np.int64(0)
    for i in range(_LIMBS):
        limbs[i] = 0
    flip = np.int64(128)
    if lead > 0:
        _push(limbs, 1, _group(data, o, _BYTES[lead], inverted, flip))
        flip = 0
        o += _BYTES[lead]
    for _ in range(full):
        _push(limbs, _NINE, _group(data, o, 4, inverted, flip))
        flip = 0
        o += 4
    if tail > 0:
        _push(limbs, _POWERS[tail], _group(data, o, _BYTES[tail], inverted, flip))
    return inverted != 0


@compiled
def _push(limbs: Any, factor: Int, digits: Int) -> None:
    """`limbs = limbs * factor + digits`."""
    carry = np.uint64(digits)
    for i in range(_LIMBS):
        product = limbs[i] * np.uint64(factor) + carry
        limbs[i] = product & np.uint64(0xFFFFFFFF)
        carry = product >> np.uint64(32)


@compiled
def unscaled_decimals(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    precision: Int,
    scale: Int,
    aux: Any,
    ao: Int,
    limbs: Any,
) -> Int:
    """Unscaled values as the shortest big-endian two's complement; the new end of `aux`, -1 if too small."""
    if ao + 32 * k > len(aux):
        return -1
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_short(mem, at + 16 * j, 0, np.uint64(0), np.uint32(0))
        elif precision <= 18:
            put_unscaled(mem, at + 16 * j, small_decimal(data, o, precision, scale))
        else:
            n = _put_large(aux, ao, limbs, _large_decimal(data, o, precision, scale, limbs))
            put_view(mem, at + 16 * j, aux, 1, ao, n)
            if n > 12:
                ao += n
    return ao


@compiled
def _put_large(aux: Any, ao: Int, limbs: Any, negative: bool) -> Int:
    """Writes limbs as the shortest big-endian two's complement; its length."""
    if negative:
        carry = np.uint64(1)
        for i in range(_LIMBS):
            turned = (limbs[i] ^ np.uint64(0xFFFFFFFF)) + carry
            limbs[i] = turned & np.uint64(0xFFFFFFFF)
            carry = turned >> np.uint64(32)
    sign = np.uint64(0xFF) if limbs[_LIMBS - 1] >> np.uint64(31) else np.uint64(0)
    n = 4 * _LIMBS
    while n > 1:  # drop a leading byte that only repeats the sign of the next
        top = _byte(limbs, n - 1)
        if top != sign or (_byte(limbs, n - 2) >> np.uint64(7)) != (sign >> np.uint64(7)):
            break
        n -= 1
    for i in range(n):
        aux[ao + i] = np.uint8(_byte(limbs, n - 1 - i))
    return n


@compiled
def _byte(limbs: Any, i: Int) -> Int:
    return (limbs[i >> 2] >> np.uint64(8 * (i & 3))) & np.uint64(0xFF)


@compiled
def decimal_texts(
    data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, precision: Int, scale: Int, aux: Any, ao: Int
) -> Int:
    """Values in plain notation, all digits of the scale; the new end of `aux`, -1 if it is too small."""
    if ao + (precision + 4) * k > len(aux):
        return -1
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_short(mem, at + 16 * j, 0, np.uint64(0), np.uint32(0))
            continue
        start, stop = put_decimal(data, o, precision, scale, aux, ao)
        put_view(mem, at + 16 * j, aux, 1, start, stop - start)
        if stop - start > 12:
            ao = stop
    return ao


@entry(arg.READ_BYTES, arg.INT, arg.INT, arg.INT, arg.BYTES, arg.INT)
def put_decimal(data: Any, o: Int, precision: Int, scale: Int, aux: Any, ao: Int) -> Any:
    """Writes one DECIMAL as text somewhere in `aux[ao : ao + precision + 4]`; (start, stop)."""
    inverted = np.int64(-1) if data[o] < 128 else np.int64(0)
    flip = np.int64(128)
    whole = precision - scale
    p = ao + 1  # room for the sign
    if whole == 0:
        aux[p] = 48
        p += 1
    left = whole
    while left > 0:
        digits = left % 9 if left % 9 > 0 else 9
        _put_digits(aux, p, digits, _group(data, o, _BYTES[digits], inverted, flip))
        flip = 0
        o += _BYTES[digits]
        p += digits
        left -= digits
    point = p
    if scale > 0:
        aux[p] = 46
        p += 1
    left = scale
    while left > 0:
        digits = min(left, 9)
        _put_digits(aux, p, digits, _group(data, o, _BYTES[digits], inverted, flip))
        flip = 0
        o += _BYTES[digits]
        p += digits
        left -= digits
    start = ao + 1
    while start < point - 1 and aux[start] == 48:
        start += 1
    if inverted != 0 and _has_digit(aux, start, p):
        start -= 1
        aux[start] = 45
    return start, p


@compiled
def _put_digits(aux: Any, p: Int, digits: Int, value: Int) -> None:
    for i in range(digits - 1, -1, -1):
        aux[p + i] = np.uint8(48 + value % 10)
        value //= 10


@compiled
def _has_digit(aux: Any, start: Int, stop: Int) -> bool:
    """Whether a digit other than zero stands there: zero has no sign."""
    for i in range(start, stop):
        if aux[i] > 48:
            return True
    return False


@compiled
def decimal_doubles(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    precision: Int,
    scale: Int,
    bitmap: Int,
    marks: Any,
    which: Int,
    first: Int,
    size: Int,
    limbs: Any,
) -> None:
    """The nearest double of each value.

    The quotient of two integers that doubles hold exactly is the nearest double. For other values the offset
    is written instead, and a bit of `bitmap` set: `fallbacks.decimal_to_double` does these.
    """
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            store64(mem, at + 8 * j, np.uint64(0))
            continue
        value = np.int64(0)
        exact = scale <= 22
        if precision <= 18:
            value = small_decimal(data, o, precision, scale)
        else:
            negative = _large_decimal(data, o, precision, scale, limbs)
            for i in range(2, _LIMBS):
                exact = exact and limbs[i] == 0
            exact = exact and limbs[1] < np.uint64(1 << 21)
            value = np.int64(limbs[0] | limbs[1] << np.uint64(32)) if exact else np.int64(0)
            value = -value if negative else value
        if exact and abs(value) <= 1 << 53:
            store64(mem, at + 8 * j, float64_bits(np.float64(value) / _EXACT_POWERS[scale]))
        else:
            store64(mem, at + 8 * j, np.uint64(o))
            mark(mem, bitmap, marks, which, first + j, size, 1)
