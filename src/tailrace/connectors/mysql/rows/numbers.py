# mypy: disable-error-code="no-any-return, assignment"
"""Integers, floating-point numbers, YEAR and BIT: one loop a width.

Every function here and in the other families has the same first arguments: the log's bytes `data`, the
`offsets` of the values (`scan.NULL` for a null) in row `c`, the number `k` of images, the block of results
`mem` and the byte `at` in it where the first of these images' values goes. Null values become 0: Arrow leaves
them undefined, but results that do not depend on what the memory held before are easier to compare.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.connectors.mysql.rows.raw import big, offset_of
from tailrace.connectors.shared.number_text import put_integer, put_short, put_unscaled
from tailrace.kernels.arrays import (
    bits_float32,
    float64_bits,
    load16,
    load32,
    load64,
    put_view,
    store32,
    store64,
    swap64,
)
from tailrace.kernels.compiling import Int, compiled, inlined


@compiled
def integers(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, width: Int, unsigned: bool) -> None:
    """Little-endian integers of 1 to 8 bytes as int64; BIGINT UNSIGNED wraps."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        value = np.int64(0)
        if o >= 0:
            value = integer(data, o, width, unsigned)
        store64(mem, at + 8 * j, np.uint64(value))


@inlined
def integer(data: Any, o: Int, width: Int, unsigned: bool) -> Int:
    """One such integer."""
    if width == 4:
        word = load32(data, o)
        return np.int64(word) if unsigned else np.int64(np.int32(word))
    if width == 8:
        return np.int64(load64(data, o))
    if width == 1:
        return np.int64(data[o]) if unsigned else np.int64(np.int8(data[o]))
    if width == 2:
        half = load16(data, o)
        return np.int64(half) if unsigned else np.int64(np.int16(half))
    value = np.int64(0)
    for i in range(width):
        value |= np.int64(data[o + i]) << np.int64(8 * i)
    sign = np.int64(1) << np.int64(8 * width - 1)
    return value if unsigned else (value ^ sign) - sign


@compiled
def unscaled_integers(
    data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, width: Int, unsigned: bool
) -> None:
    """Integers as the shortest big-endian two's complement: what Connect's Decimal of scale 0 holds."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_short(mem, at + 16 * j, 0, np.uint64(0), np.uint32(0))
            continue
        value = integer(data, o, width, unsigned)
        if unsigned and value < 0:  # 2^63 and more: a zero byte and all eight
            swapped = swap64(np.uint64(value))
            put_short(mem, at + 16 * j, 9, swapped << np.uint64(8), np.uint32(swapped >> np.uint64(56)))
        else:
            put_unscaled(mem, at + 16 * j, value)


@compiled
def integer_texts(
    data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, width: Int, unsigned: bool, aux: Any, ao: Int
) -> Int:
    """Integers in decimal digits; the new end of `aux`, -1 where it is too small."""
    if ao + 24 * k > len(aux):
        return -1
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_short(mem, at + 16 * j, 0, np.uint64(0), np.uint32(0))
            continue
        value = integer(data, o, width, unsigned)
        stop = put_integer(aux, ao, np.uint64(value), value < 0 and not unsigned)
        put_view(mem, at + 16 * j, aux, 1, ao, stop - ao)
        if stop - ao > 12:
            ao = stop
    return ao


@compiled
def singles(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int) -> None:
    """FLOAT as it is."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        store32(mem, at + 4 * j, load32(data, o) if o >= 0 else np.uint32(0))


@compiled
def widened(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int) -> None:
    """FLOAT as a double."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        value = np.uint64(0)
        if o >= 0:
            value = float64_bits(np.float64(bits_float32(load32(data, o))))
        store64(mem, at + 8 * j, value)


@compiled
def years(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int) -> None:
    """YEAR, stored as years since 1900; 0000 is stored as 0 and comes out as 1900, as in Debezium."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        store64(mem, at + 8 * j, np.uint64(1900 + np.int64(data[o])) if o >= 0 else np.uint64(0))


@compiled
def bits(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, width: Int) -> None:
    """BIT as a number."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        store64(mem, at + 8 * j, np.uint64(big(data, o, width)) if o >= 0 else np.uint64(0))


@compiled
def bit_bytes(data: Any, offsets: Any, c: Int, k: Int, mem: Any, at: Int, width: Int) -> None:
    """BIT as bytes, the lowest first; the log has the highest first."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_short(mem, at + 16 * j, 0, np.uint64(0), np.uint32(0))
        else:
            put_short(mem, at + 16 * j, width, np.uint64(big(data, o, width)), np.uint32(0))
