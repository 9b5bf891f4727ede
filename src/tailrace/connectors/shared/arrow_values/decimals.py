# mypy: disable-error-code="no-any-return, assignment"
"""Decimals of up to 38 digits: as unscaled bytes, as text and as doubles.

Arrow has the unscaled value in 128 bits, two's complement, little-endian.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tailrace.changes.vectors import Kind, Vector
from tailrace.connectors.shared.arrow_values.arrays import bitmap, validity
from tailrace.connectors.shared.number_text import put_unscaled
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import put_null_view, put_view, store64, swap64
from tailrace.kernels.compiling import Int, compiled, entry

_LONGEST: Final = 48  # bytes of a text: 38 digits, a sign, a point and a leading zero; a number has 16
_DIGITS: Final = 38
_LONG_DIGITS: Final = 19  # of an int64
_EXACT: Final = 1 << 53  # integers up to it, and these powers of ten, are exact doubles: so is their quotient, rounded once
_EXACT_POWERS: Final = np.array([10.0**n for n in range(23)], np.float64)


def unscaled(array: pa.Array, scale: int) -> Vector:
    """The shortest big-endian two's complement of each unscaled value."""
    return _views(_rescaled(array, scale), Kind.BYTES, _put_unscaled_values, 0)


def texts(array: pa.Array, scale: int) -> Vector:
    """Texts in plain notation, with all digits of the scale."""
    return _views(_rescaled(array, scale), Kind.TEXT, _put_texts, scale)


def doubles(array: pa.Array, scale: int) -> Vector:
    """The nearest double of each value."""
    array = _rescaled(array, scale)
    words = _words(array)
    low, high = words[:, 0], words[:, 1]
    is_small = (high == low >> 63) & (np.abs(low) <= _EXACT)
    if scale >= len(_EXACT_POWERS):
        is_small = (low == 0) & (high == 0)
    values = low / _EXACT_POWERS[min(scale, len(_EXACT_POWERS) - 1)]
    rows = np.flatnonzero(~is_small & validity(array))
    if len(rows):
        values[rows] = _parsed(array, rows)
    return Vector(Kind.FLOAT64, len(array), values, bitmap(array))


def _parsed(array: pa.Array, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The doubles of values with too many digits for one exact division (more than about 15), by parsing their text."""
    return np.asarray(array.take(pa.array(rows)).cast(pa.large_string()).cast(pa.float64()))


def _rescaled(array: pa.Array, scale: int) -> pa.Array:
    """The values in 128 bits with this scale; unchanged if they have it already."""
    if pa.types.is_decimal128(array.type) and array.type.scale == scale:
        return array
    if pa.types.is_integer(array.type):  # a direct cast would need precision for digits that no value has
        array = array.cast(pa.decimal128(_LONG_DIGITS, 0))
    return array.cast(pa.decimal128(_DIGITS, scale))


def _words(array: pa.Array) -> npt.NDArray[np.int64]:
    """The low and high halves, shape (n, 2)."""
    if not len(array):
        return np.empty((0, 2), np.int64)
    words = np.frombuffer(array.buffers()[1], np.int64)
    return words[2 * array.offset : 2 * (array.offset + len(array))].reshape(-1, 2)


def _views(array: pa.Array, kind: Kind, put: Any, scale: int) -> Vector:
    n = len(array)
    data = np.empty((n, 4), np.uint32)
    room = np.empty(_LONGEST * n + 8, np.uint8)
    used = put(_words(array), validity(array), scale, data.reshape(-1).view(np.uint8), room)
    return Vector(kind, n, data, bitmap(array), (room[:used],))


@entry(arg.READ_INT_TABLE, arg.READ_FLAGS, arg.INT, arg.BYTES, arg.BYTES)
def _put_unscaled_values(words: Any, valid: Any, _scale: Int, mem: Any, room: Any) -> Int:
    end = 0
    for i in range(len(valid)):
        low, high = words[i, 0], words[i, 1]
        if not valid[i]:
            put_null_view(mem, 16 * i)
        elif high == low >> 63:
            put_unscaled(mem, 16 * i, low)
        else:
            n = _put_wide(room, end, low, high)
            put_view(mem, 16 * i, room, 0, end, n)
            if n > 12:
                end += n
    return end


@compiled
def _put_wide(room: Any, at: Int, low: Int, high: Int) -> Int:
    """Write a number of more than eight bytes; returns its length."""
    rest = high ^ (high >> 63)
    n = 9
    while rest >= 128:
        rest >>= 8
        n += 1
    for k in range(n - 8):
        room[at + k] = np.uint8((high >> (8 * (n - 9 - k))) & 255)
    store64(room, at + n - 8, swap64(np.uint64(low)))
    return n


@entry(arg.READ_INT_TABLE, arg.READ_FLAGS, arg.INT, arg.BYTES, arg.BYTES)
def _put_texts(words: Any, valid: Any, scale: Int, mem: Any, room: Any) -> Int:
    end = 0
    for i in range(len(valid)):
        if not valid[i]:
            put_null_view(mem, 16 * i)
            continue
        stop = end + _LONGEST
        start = _put_text(room, stop, words[i, 0], words[i, 1], scale)
        put_view(mem, 16 * i, room, 0, start, stop - start)
        if stop - start > 12:
            end = stop
    return end


@compiled
def _put_text(room: Any, stop: Int, low: Int, high: Int, scale: Int) -> Int:
    """Write a value so that it ends before `stop`; returns its beginning."""
    negative = high < 0
    above, below = np.uint64(high), np.uint64(low)
    if negative:
        below = ~below + np.uint64(1)
        above = ~above + (np.uint64(1) if below == 0 else np.uint64(0))
    p = stop
    digits = 0
    while above != 0:  # nine digits from the lower end, until the rest fits into 64 bits
        above, below, rest = _divided(above, below)
        for _ in range(9):
            p = _put_digit(room, p, rest % np.uint64(10), digits, scale)
            digits += 1
            rest //= np.uint64(10)
    while below != 0 or digits <= scale:
        p = _put_digit(room, p, below % np.uint64(10), digits, scale)
        digits += 1
        below //= np.uint64(10)
    if negative:
        p -= 1
        room[p] = 45
    return p


@compiled
def _put_digit(room: Any, p: Int, digit: Int, digits: Int, scale: Int) -> Int:
    """Write a digit before the existing ones, and the decimal point where it belongs; returns the new beginning."""
    if digits == scale and scale > 0:
        p -= 1
        room[p] = 46
    p -= 1
    room[p] = np.uint8(np.uint64(48) + digit)
    return p


@compiled
def _divided(above: Int, below: Int) -> Any:
    """Divide 128 bits by 10^9; returns the quotient's halves and the remainder."""
    nine = np.uint64(1_000_000_000)
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    first, rest = above // nine, above % nine
    middle = (rest << half) | (below >> half)
    second, rest = middle // nine, middle % nine
    lowest = (rest << half) | (below & mask)
    third, rest = lowest // nine, lowest % nine
    return first, (second << half) + third, rest
