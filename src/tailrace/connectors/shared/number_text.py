# mypy: disable-error-code="no-any-return, assignment"
"""Integers as decimal digits, and as the bytes of an unscaled decimal, for compiled loops.

Bytes are written as Arrow *views*: 16 bytes each, a length of 4 bytes and then up to 12 bytes of content.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.kernels.arrays import store32, store64, swap64
from tailrace.kernels.compiling import Int, inlined


@inlined
def put_unscaled(mem: Any, at: Int, value: Int) -> None:
    """Write an int64 as a view: its shortest big-endian two's complement (Connect's Decimal)."""
    # Without its sign: a byte holds 0 to 127, as the topmost bit of the first one is the sign.
    rest = value ^ (value >> 63)
    n = 1
    while rest >= 128:
        rest >>= 8
        n += 1
    put_short(mem, at, n, swap64(np.uint64(value) << np.uint64(64 - 8 * n)), np.uint32(0))


@inlined
def put_short(mem: Any, at: Int, n: Int, low: Int, high: Int) -> None:
    """Write a view of up to 12 bytes, which are in `low` and `high` with the first in the lowest bits."""
    store32(mem, at, np.uint32(n))
    store64(mem, at + 4, low)
    store32(mem, at + 12, high)


@inlined
def put_integer(aux: Any, o: Int, value: Int, negative: Any) -> Int:
    """Write a uint64's digits (if `negative`, a minus sign and its negation's); the index after them."""
    if negative:
        value = np.uint64(0) - value
        aux[o] = 45
        o += 1
    digits = 1
    rest = value
    while rest >= np.uint64(10):
        rest //= np.uint64(10)
        digits += 1
    p = o + digits
    while p > o:
        p -= 1
        rest = value // np.uint64(10)
        aux[p] = np.uint8(48) + np.uint8(value - rest * np.uint64(10))
        value = rest
    return o + digits
