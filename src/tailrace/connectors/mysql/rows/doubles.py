# mypy: disable-error-code="no-any-return, assignment"
"""The text of a double, as Debezium writes it inside JSON.

Debezium takes Java's `Double.toString`, and where that has an exponent (below 0.001 and from ten million on)
the exact decimal expansion of the binary number instead. Both are integer arithmetic here, without rounding:
the shortest digits that read back as the same number are sought by counting decimals up, with 128-bit
products; an expansion is a long multiplication in base 10^9.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.kernels.arrays import bits_float64
from tailrace.kernels.compiling import Int, compiled

LONGEST: Final = 1100
"""More bytes than any text has: 2^-1074 has 751 digits after 323 zeros."""

_FIVES: Final = np.array([5**n for n in range(28)], np.uint64)
_TENS: Final = np.array([10**n for n in range(19)], np.uint64)
_BASE: Final = np.uint64(1_000_000_000)
_FIVE_12: Final = np.uint64(5**12)
_LOW: Final = np.uint64(0xFFFFFFFF)
_FRACTION: Final = np.uint64((1 << 52) - 1)
_HIDDEN: Final = np.uint64(1 << 52)
LIMBS: Final = 130
"""How many limbs of nine digits the longest expansion takes."""


@compiled
def put_double(aux: Any, p: Int, bits: Int, limbs: Any) -> Int:
    """Writes the double with these bits; the place after, or -2 for an infinity or no number."""
    exponent = np.int64((bits >> np.uint64(52)) & np.uint64(0x7FF))
    if exponent == 0x7FF:
        return -2
    if bits >> np.uint64(63):
        aux[p] = 45
        p += 1
    value = abs(bits_float64(bits))
    if value == 0.0:
        return _put_point(aux, _put_number(aux, p, np.uint64(0), 1), np.uint64(0), 1)
    fraction = bits & _FRACTION
    if exponent == 0:
        return _put_exactly(aux, p, fraction, -1074, limbs)
    if 1e-3 <= value < 1e7:
        return _put_shortest(aux, p, fraction | _HIDDEN, 1075 - exponent)
    return _put_exactly(aux, p, fraction | _HIDDEN, exponent - 1075, limbs)


@compiled
def _put_shortest(aux: Any, p: Int, mantissa: Int, shift: Int) -> Int:
    """Writes `mantissa / 2^shift` (29 <= shift <= 62) with as few decimals as tell it from its neighbours."""
    even = mantissa & np.uint64(1) == np.uint64(0)
    decimals = 0
    while True:
        high, low = _product(mantissa << np.uint64(1), _FIVES[decimals])
        drop = np.uint64(shift + 1 - decimals)
        rest = low & ((np.uint64(1) << drop) - np.uint64(1))
        digits = high << (np.uint64(64) - drop) | low >> drop
        other = (np.uint64(1) << drop) - rest
        if other < rest or (other == rest and digits & np.uint64(1)):
            digits += np.uint64(1)
            rest = other
        if rest < _FIVES[decimals] or (even and rest == _FIVES[decimals]):
            break
        decimals += 1
    if decimals == 0:
        return _put_point(aux, _put_number(aux, p, digits, 1), np.uint64(0), 1)
    whole = digits // _TENS[min(decimals, 18)] if decimals <= 18 else np.uint64(0)
    left = digits - whole * _TENS[min(decimals, 18)]
    return _put_point(aux, _put_number(aux, p, whole, 1), left, decimals)


@compiled
def _product(a: Int, b: Int) -> Any:
    """The 128 bits of the product of two uint64, as (high, low)."""
    a0, a1 = a & _LOW, a >> np.uint64(32)
    b0, b1 = b & _LOW, b >> np.uint64(32)
    low = a0 * b0
    middle = a1 * b0 + (low >> np.uint64(32))
    crossed = a0 * b1 + (middle & _LOW)
    high = a1 * b1 + (middle >> np.uint64(32)) + (crossed >> np.uint64(32))
    return high, (crossed << np.uint64(32)) | (low & _LOW)


@compiled
def _put_point(aux: Any, p: Int, digits: Int, width: Int) -> Int:
    aux[p] = 46
    return _put_number(aux, p + 1, digits, width)


@compiled
def _put_number(aux: Any, p: Int, value: Int, width: Int) -> Int:
    """Writes a uint64 with at least `width` digits; the place after."""
    digits = 1
    rest = value // np.uint64(10)
    while rest:
        digits += 1
        rest //= np.uint64(10)
    digits = max(digits, width)
    for i in range(digits - 1, -1, -1):
        rest = value // np.uint64(10)
        aux[p + i] = np.uint8(48) + np.uint8(value - rest * np.uint64(10))
        value = rest
    return p + digits


@compiled
def _put_exactly(aux: Any, p: Int, mantissa: Int, exponent: Int, limbs: Any) -> Int:
    """Writes `mantissa * 2^exponent` in plain notation, all digits."""
    while exponent < 0 and mantissa & np.uint64(1) == np.uint64(0):
        mantissa >>= np.uint64(1)
        exponent += 1
    limbs[0] = mantissa % _BASE
    limbs[1] = mantissa // _BASE
    used = 2
    left = abs(exponent)
    while left > 0:
        step = min(left, 12)
        used = _multiply(limbs, used, _FIVES[step] if exponent < 0 else np.uint64(1) << np.uint64(step))
        left -= step
    while used > 1 and limbs[used - 1] == np.uint64(0):
        used -= 1
    return _put_limbs(aux, p, limbs, used, -exponent if exponent < 0 else 0)


@compiled
def _multiply(limbs: Any, used: Int, factor: Int) -> Int:
    """`limbs *= factor`; how many limbs are in use."""
    carry = np.uint64(0)
    for i in range(used):
        product = limbs[i] * factor + carry
        carry = product // _BASE
        limbs[i] = product - carry * _BASE
    if carry:
        limbs[used] = carry
        used += 1
    return used


@compiled
def _put_limbs(aux: Any, p: Int, limbs: Any, used: Int, scale: Int) -> Int:
    """Writes limbs as digits with a point before the last `scale` of them."""
    start = p
    p = _put_number(aux, p, limbs[used - 1], 1)
    for i in range(used - 2, -1, -1):
        p = _put_number(aux, p, limbs[i], 9)
    if scale == 0:
        return p
    digits = p - start
    zeros = max(0, scale + 1 - digits)  # before the first digit, so that one stands before the point
    for i in range(digits - 1, -1, -1):
        aux[start + zeros + i] = aux[start + i]
    aux[start : start + zeros] = 48
    p += zeros
    point = p - scale
    for i in range(p - 1, point - 1, -1):
        aux[i + 1] = aux[i]
    aux[point] = 46
    return p + 1
