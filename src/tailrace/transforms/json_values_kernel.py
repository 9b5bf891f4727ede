# mypy: disable-error-code="no-any-return, arg-type, return-value, assignment"
"""Compiled functions that read the names, texts and numbers of JSON; what is not plain is given up (`json_scan_kernel`)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.kernels.arrays import float64_bits
from tailrace.kernels.compiling import Int, inlined
from tailrace.kernels.memory import copy_bytes, load8, load32, store8, store32, store64

GIVEN_UP: Final = 0
"""Instead of an address: what stands there is left to others."""

QUOTE: Final = 34
COLON: Final = 58
_BACKSLASH: Final = 92

# The letters of values in a shape.
BOOLEAN: Final = 98  # b
EMPTY_LIST: Final = 101  # e
_FLOAT: Final = 102  # f
_INT32: Final = 105  # i
_INT64: Final = 108  # l
NULL: Final = 110  # n
_STRING: Final = 115  # s

_TRUE_TEXT: Final = np.uint32(0x65757274)
_FALS_TEXT: Final = np.uint32(0x736C6166)
_NULL_TEXT: Final = np.uint32(0x6C6C756E)
_E: Final = 101

_EXACT: Final = np.uint64(1 << 53)
_LARGEST: Final = np.uint64((1 << 63) - 1)
_MOST_DIGITS: Final = 19  # of which a number of 64 bits without sign has room for all
_MOST_TENS: Final = 22  # powers of ten up to here are doubles


@inlined
def past_blanks(p: Int, end: Int) -> Int:
    """The first place that has no blank, or the end."""
    while p < end:
        c = load8(p)
        if c not in (32, 10, 13, 9):
            break
        p += 1
    return p


@inlined
def _string_end(p: Int, end: Int) -> Any:
    """Where a text that begins at `p` has its closing quote, and whether there are escapes in it; 0 without one."""
    escapes = False
    while p < end:
        c = load8(p)
        if c == QUOTE:
            return p, escapes
        if c < 32:
            break
        if c == _BACKSLASH:
            escapes = True
            p += 1
        p += 1
    return GIVEN_UP, escapes


@inlined
def _unescaped(o: Int, p: Int, end: Int) -> Int:
    """Write a text without its escapes; returns where it ends, 0 if it has some that are left to others."""
    while p < end:
        c = load8(p)
        p += 1
        if c == _BACKSLASH:
            c = load8(p)
            p += 1
            if c == 110:
                c = np.uint8(10)
            elif c == 116:
                c = np.uint8(9)
            elif c == 114:
                c = np.uint8(13)
            elif c == 98:
                c = np.uint8(8)
            elif c == 102:
                c = np.uint8(12)
            elif c not in (QUOTE, _BACKSLASH, 47):
                return GIVEN_UP
        store8(o, c)
        o += 1
    return o


@inlined
def _put_view(at: Int, p: Int, length: Int, buffer: Int, offset: Int) -> None:
    """Write an Arrow view of the bytes at `p`, which stand at `offset` of a buffer."""
    store64(at, np.uint64(length))
    store64(at + 8, np.uint64(0))
    if length <= 12:
        copy_bytes(at + 4, p, length)
        return
    store32(at + 4, load32(p))
    store32(at + 8, np.uint32(buffer))
    store32(at + 12, np.uint32(offset))


@inlined
def _is_digit(p: Int, end: Int) -> bool:
    return p < end and 48 <= load8(p) <= 57


@inlined
def _digits(p: Int, end: Int, mantissa: Any, digits: Int) -> Any:
    """Read digits; returns where they end, the number with them behind it, and how many there are behind leading zeros."""
    while _is_digit(p, end):
        digit = np.uint64(load8(p)) - np.uint64(48)
        mantissa = mantissa * np.uint64(10) + digit
        digits += int(digits > 0 or digit != 0)
        p += 1
    return p, mantissa, digits


@inlined
def _exponent(p: Int, end: Int) -> Any:
    """Read an exponent behind its letter; returns where it ends (0: there is none) and its value, as far as it matters."""
    minus = False
    if p < end and (load8(p) == 45 or load8(p) == 43):
        minus = load8(p) == 45
        p += 1
    if not _is_digit(p, end):
        return GIVEN_UP, 0
    exponent = 0
    while _is_digit(p, end):
        exponent = exponent * 10 + np.int64(load8(p)) - 48 if exponent < _MOST_TENS * 100 else exponent
        p += 1
    return p, (-exponent if minus else exponent)


@inlined
def _integer(p: Int, mantissa: Any, negative: bool, at: Int) -> Any:
    if mantissa > _LARGEST:
        return GIVEN_UP, 0
    value = -np.int64(mantissa) if negative else np.int64(mantissa)
    store64(at, np.uint64(value))
    return p, (_INT32 if -(1 << 31) <= value < (1 << 31) else _INT64)


@inlined
def _double(p: Int, mantissa: Any, negative: bool, places: Int, at: Int) -> Any:
    """Both numbers are doubles, so that one multiplication or division gives the nearest one."""
    if mantissa > _EXACT or abs(places) > _MOST_TENS:
        return GIVEN_UP, 0
    power = 1.0
    for _ in range(abs(places)):
        power *= 10.0
    number = np.float64(mantissa)
    number = number / power if places < 0 else number * power
    store64(at, float64_bits(-number if negative else number))
    return p, _FLOAT


@inlined
def _number(p: Int, end: Int, at: Int) -> Any:
    """Read a number and write its value at `at`; returns where it ends (0: given up) and its letter in the shape."""
    negative = load8(p) == 45
    p += int(negative)
    begin = p
    p, mantissa, digits = _digits(p, end, np.uint64(0), 0)
    if p == begin or (load8(begin) == 48 and p - begin > 1):
        return GIVEN_UP, 0
    places = 0
    is_integer = True
    if p < end and load8(p) == 46:
        is_integer = False
        begin = p + 1
        p, mantissa, digits = _digits(begin, end, mantissa, digits)
        places = begin - p
        if p == begin:
            return GIVEN_UP, 0
    if p < end and (load8(p) | 32) == _E:
        is_integer = False
        p, exponent = _exponent(p + 1, end)
        places += exponent
    if p == GIVEN_UP or digits > _MOST_DIGITS:
        return GIVEN_UP, 0
    if is_integer:
        return _integer(p, mantissa, negative, at)
    return _double(p, mantissa, negative, places, at)


@inlined
def name(p: Int, end: Int, o: Int, shape_end: Int) -> Any:
    """Read a name and the colon behind it, and write it into the shape; returns where both end (0: given up)."""
    close, escapes = _string_end(p + 1, end)
    size = close + 1 - p
    if load8(p) != QUOTE or close == GIVEN_UP or escapes or o + size + 8 > shape_end:
        return GIVEN_UP, o
    copy_bytes(o, p, size)
    p = past_blanks(close + 1, end)
    if p >= end or load8(p) != COLON:
        return GIVEN_UP, o
    return p + 1, o + size


@inlined
def scalar(p: Int, end: Int, at: Int, extra: Int, origin: Int, buffer: Int, extra_start: Int, extra_buffer: Int) -> Any:
    """Read a text, a number, a truth or null, and write its entry.

    Args:
        p: where it begins.
        end: where everything ends.
        at: of the entry.
        extra: where a text without its escapes is written.
        origin: where the buffer that the text stands in begins.
        buffer: its number.
        extra_start: where the buffer of `extra` begins.
        extra_buffer: its number.

    Returns:
        Where it ends (0: given up), its letter in the shape, and where `extra` goes on.

    """
    c = load8(p)
    if c == QUOTE:
        close, escapes = _string_end(p + 1, end)
        if close == GIVEN_UP:
            return GIVEN_UP, 0, extra
        if not escapes:
            _put_view(at, p + 1, close - p - 1, buffer, p + 1 - origin)
            return close + 1, _STRING, extra
        done = _unescaped(extra, p + 1, close)
        if done == GIVEN_UP:
            return GIVEN_UP, 0, extra
        _put_view(at, extra, done - extra, extra_buffer, extra - extra_start)
        return close + 1, _STRING, done
    if c == 45 or 48 <= c <= 57:
        p, letter = _number(p, end, at)
        return p, letter, extra
    if p + 4 <= end and load32(p) == _TRUE_TEXT:
        store64(at, np.uint64(1))
        return p + 4, BOOLEAN, extra
    if p + 5 <= end and load32(p) == _FALS_TEXT and load8(p + 4) == _E:
        store64(at, np.uint64(0))
        return p + 5, BOOLEAN, extra
    if p + 4 <= end and load32(p) == _NULL_TEXT:
        return p + 4, NULL, extra
    return GIVEN_UP, 0, extra
