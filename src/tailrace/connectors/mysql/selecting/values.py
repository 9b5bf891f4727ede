# ruff: noqa: PLR1714 -- compiled loops compare plainly
# mypy: disable-error-code="no-any-return, assignment"
"""Transcodes one value of the binary protocol into the log's form: one function for each kind.

Each takes the offset of the value in the packet `data[p:stop]` and the offset `o` in `out` where it goes, and returns
the offsets after both; the first is -1 if the value exceeds its packet or the column's type.

Source: MySQL source documentation, "Binary Protocol Value"; for what is stored `rows/temporal.py`, `rows/decimals.py`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.shared.calendar_text import day_number
from tailrace.kernels.arrays import (
    copy_bytes,
    load8,
    load16,
    load32,
    load64,
    store8,
    store32,
    store64,
    swap64,
)
from tailrace.kernels.compiling import Int, compiled, inlined

# How a value is transcoded, with parameters. A: bytes it takes in the packet; precision; bytes of the
# fraction. B: scale. WIDTH: bytes it takes in the image, or those of its length.
NUMBER, YEAR, TEXT, BITS, DECIMAL, DATE, TIME, DATETIME, TIMESTAMP = range(9)
OP, A, B, WIDTH, FIELDS = range(5)

_BYTES: Final = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 4], np.int64)  # of a group of so many digits
_TO_MICROS: Final = np.array([1_000_000, 10_000, 100, 1], np.int64)  # by the bytes of the fraction
_MINUS, _POINT, _ZERO = (ord(c) for c in "-.0")
_DAY: Final = 86400


@inlined
def put_value(data: Any, p: Int, stop: Int, ops: Any, c: Int, out: Any, o: Int) -> Any:
    """Writes the value of column `c`, as its row of `ops` says."""
    op, a, width = ops[c, OP], ops[c, A], ops[c, WIDTH]
    if op == NUMBER:
        if p + a > stop:
            return -1, o
        store64(out, o, load64(data, p))  # always eight bytes; the next value overwrites the excess
        return p + a, o + width
    if op == TEXT:
        return _text(data, p, stop, width, out, o)
    if op == DECIMAL:
        return _decimal(data, p, stop, a, ops[c, B], width, out, o)
    if op == BITS:
        return _bits(data, p, stop, width, out, o)
    if op == YEAR:
        return _year(data, p, stop, out, o)
    if op == TIME:
        return _time(data, p, stop, a, out, o)
    return _date(data, p, stop, op, a, out, o)


@inlined
def _length(data: Any, p: Int, stop: Int) -> Any:
    """Bytes of a length-encoded string, and where it begins; (-1, p) if it exceeds the packet."""
    if p >= stop:
        return -1, p
    n = np.int64(load8(data, p))
    if n < 251:
        p += 1
    elif n == 252:
        n = np.int64(load16(data, p + 1))
        p += 3
    elif n == 253:
        n = np.int64(load32(data, p + 1)) & 0xFFFFFF
        p += 4
    elif n == 254:
        n = np.int64(load64(data, p + 1))
        p += 9
    else:
        return -1, p
    if n < 0 or n > stop - p:
        return -1, p
    return n, p


@inlined
def _text(data: Any, p: Int, stop: Int, prefix: Int, out: Any, o: Int) -> Any:
    n, p = _length(data, p, stop)
    if n < 0 or (prefix == 2 and n > 0xFFFF):
        return -1, o
    store32(out, o, np.uint32(n))
    copy_bytes(out, o + prefix, data, p, n)
    return p + n, o + prefix + n


@compiled
def _bits(data: Any, p: Int, stop: Int, width: Int, out: Any, o: Int) -> Any:
    """BIT: bytes, the highest first."""
    n, p = _length(data, p, stop)
    if n < 0 or n > width:
        return -1, o
    for k in range(o, o + width - n):
        store8(out, k, np.uint8(0))
    copy_bytes(out, o + width - n, data, p, n)
    return p + n, o + width


@compiled
def _year(data: Any, p: Int, stop: Int, out: Any, o: Int) -> Any:
    """YEAR: years since 1900, and 0 for 0000."""
    if p + 2 > stop:
        return -1, o
    year = np.int64(load16(data, p))
    if year != 0:
        year -= 1900
    if year < 0 or year > 255:
        return -1, o
    store8(out, o, np.uint8(year))
    return p + 2, o + 1


@compiled
def _decimal(data: Any, p: Int, stop: Int, precision: Int, scale: Int, width: Int, out: Any, o: Int) -> Any:
    """DECIMAL: text becomes groups of nine digits, all bits inverted for a negative number, the first in any case."""
    n, p = _length(data, p, stop)
    if n < 1:
        return -1, o
    end = p + n
    negative = load8(data, p) == _MINUS
    first = p + 1 if negative else p
    point = first
    while point < end and load8(data, point) != _POINT:
        point += 1
    while first < point and load8(data, first) == _ZERO:  # ZEROFILL
        first += 1
    whole = precision - scale
    if point - first > whole or end - point - 1 > scale:
        return -1, o
    seen, after = _groups(data, point - whole, whole, whole % 9, first, point, out, o)
    if seen < 0:
        return -1, o
    seen_behind, after = _groups(data, point + 1, scale, 0, point + 1, end, out, after)
    if seen_behind < 0:
        return -1, o
    if negative and (seen | seen_behind) != 0:
        for k in range(o, o + width):
            store8(out, k, np.uint8(~load8(out, k)))
    store8(out, o, np.uint8(load8(out, o) ^ np.uint8(128)))
    return end, after


@compiled
def _groups(data: Any, at: Int, left: Int, lead: Int, low: Int, high: Int, out: Any, o: Int) -> Any:
    """Writes the digits from text place `at` on, the first `lead` of them as a group; places outside the text are zeros.

    Returns the bits of all groups (-1 if there are other characters than digits), and the offset after them.
    """
    seen = np.int64(0)
    while left > 0:
        digits = lead if lead > 0 else min(left, 9)
        value = np.int64(0)
        for k in range(at, at + digits):
            digit = np.int64(0)
            if low <= k < high:
                digit = np.int64(load8(data, k)) - _ZERO
                if digit < 0 or digit > 9:
                    return np.int64(-1), o
            value = value * 10 + digit
        seen |= value
        o = _put_big(out, o, value, _BYTES[digits])
        at += digits
        left -= digits
        lead = 0
    return seen, o


@compiled
def _date(data: Any, p: Int, stop: Int, op: Int, fraction: Int, out: Any, o: Int) -> Any:
    """DATE, DATETIME and TIMESTAMP: a length, then year, month, day, clock and microseconds without trailing zeros."""
    if p >= stop:
        return -1, o
    n = np.int64(load8(data, p))
    if (n != 0 and n != 4 and n != 7 and n != 11) or p + 1 + n > stop:
        return -1, o
    year = np.int64(load16(data, p + 1)) if n > 0 else 0
    month = np.int64(load8(data, p + 3)) if n > 0 else 0
    day = np.int64(load8(data, p + 4)) if n > 0 else 0
    hour = np.int64(load8(data, p + 5)) if n > 4 else 0
    minute = np.int64(load8(data, p + 6)) if n > 4 else 0
    second = np.int64(load8(data, p + 7)) if n > 4 else 0
    micros = np.int64(load32(data, p + 8)) if n > 7 else 0
    p += 1 + n
    if op == DATE:
        store32(out, o, np.uint32(year << 9 | month << 5 | day))
        return p, o + 3
    if op == DATETIME:
        packed = np.int64(1) << 39 | (year * 13 + month) << 22 | day << 17 | hour << 12 | minute << 6 | second
        o = _put_big(out, o, packed, 5)
    else:
        seconds = np.int64(0)
        if n > 0:
            seconds = np.int64(day_number(year, month, day)) * _DAY + (hour * 60 + minute) * 60 + second
        o = _put_big(out, o, seconds, 4)
    if fraction > 0:
        o = _put_big(out, o, micros // _TO_MICROS[fraction], fraction)
    return p, o


@compiled
def _time(data: Any, p: Int, stop: Int, fraction: Int, out: Any, o: Int) -> Any:
    """TIME: a length, and unless it is zero a sign, days, the clock and perhaps microseconds."""
    if p >= stop:
        return -1, o
    n = np.int64(load8(data, p))
    if (n != 0 and n != 8 and n != 12) or p + 1 + n > stop:
        return -1, o
    packed = np.int64(0)
    if n > 0:
        hours = np.int64(load32(data, p + 2)) * 24 + np.int64(load8(data, p + 6))
        packed = hours << 12 | np.int64(load8(data, p + 7)) << 6 | np.int64(load8(data, p + 8))
        micros = np.int64(load32(data, p + 9)) if n > 8 else 0
        packed = packed << (8 * fraction) | micros // _TO_MICROS[fraction]
        if load8(data, p + 1) != 0:
            packed = -packed
    o = _put_big(out, o, packed + (np.int64(0x800000) << (8 * fraction)), 3 + fraction)
    return p + 1 + n, o


@inlined
def _put_big(out: Any, o: Int, value: Int, n: Int) -> Int:
    """Writes the lowest `n` bytes (at least one) of a number, the highest first; the offset after them."""
    store64(out, o, swap64(np.uint64(value) << np.uint64(64 - 8 * n)))
    return o + n
