# mypy: disable-error-code="no-any-return, assignment"
"""Numbers of the log, the offsets of its values, and bitmaps of results.

None of these checks bounds: `scan` has proved, before any column is read, that each value lies within its event.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.kernels.arrays import load8, load16, load32, load64, swap32
from tailrace.kernels.compiling import Int, compiled, inlined

STRIDE: Final = 4 * (1024 + 16)
"""Bytes of a row of offsets: not a power of two, or all columns would fight for the same cache lines."""


@inlined
def offset_of(offsets: Any, c: Int, j: Int) -> Int:
    """The offset of the value of column `c` in image `j` of the chunk; negative for a null."""
    return np.int64(np.int32(load32(offsets, c * STRIDE + 4 * j)))


@inlined
def little(data: Any, o: Int, n: Int) -> Any:
    """The unsigned little-endian number of `n` bytes (1 to 8), as int64: eight bytes wrap."""
    if n == 1:
        return np.int64(load8(data, o))
    if n == 2:
        return np.int64(load16(data, o))
    if n == 4:
        return np.int64(load32(data, o))
    if n == 8:
        return np.int64(load64(data, o))
    value = np.int64(0)
    for k in range(n):
        value |= np.int64(data[o + k]) << np.int64(8 * k)
    return value


@inlined
def big(data: Any, o: Int, n: Int) -> Any:
    """The unsigned big-endian number of `n` bytes (0 to 8), as int64: eight bytes wrap."""
    if n == 4:
        return np.int64(swap32(load32(data, o)))
    if n == 5:
        return np.int64(data[o]) << 32 | np.int64(swap32(load32(data, o + 1)))
    value = np.int64(0)
    for k in range(n):
        value = value << 8 | np.int64(data[o + k])
    return value


@compiled
def mark(mem: Any, bitmap: Int, marks: Any, which: Int, i: Int, size: Int, bit: Int) -> None:
    """Sets bit `i` of a bitmap to `bit`; the first call for a bitmap fills it with the other value.

    So a bitmap that nobody marks costs nothing. `marks[which]` counts the calls.
    """
    if marks[which] == 0:
        mem[bitmap : bitmap + size] = 0xFF if bit == 0 else 0
    marks[which] += 1
    if bit == 0:
        mem[bitmap + (i >> 3)] &= np.uint8(~(1 << (i & 7)) & 0xFF)
    else:
        mem[bitmap + (i >> 3)] |= np.uint8(1 << (i & 7))
