# mypy: disable-error-code="no-any-return, arg-type, return-value, assignment"
"""The compiled loop that reads JSON objects: the shape of each, and its values (see `json_scan.py`).

It reads what can be read without a second thought, and gives up on the rest: a text that it reads is JSON, and its values are
exact. It gives up on what is no object, on lists within lists, lists whose items have several shapes, integers beyond 64 bits,
numbers whose digits do not fit into a double exactly, and texts with escaped code points.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.encoding.render_kernel import bytes_at, is_null
from tailrace.kernels.arrays import float64_bits
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import copy_bytes, load8, load32, store8, store32, store64

NO_SHAPE: Final = -1
"""The code of a text that was given up."""

# What is kept between two calls: how much of each buffer is used.
ENTRIES, SHAPES, SHAPE_BYTES, EXTRA, STATE_FIELDS = range(5)

# What is kept of a list or an object that is open.
IS_LIST, COUNT_AT, SHAPE_AT, FIRST_LENGTH, ITEMS, OPEN_FIELDS = range(6)
DEEPEST: Final = 64
MOST_SHAPES: Final = 256

_VALUE: Final = 0
_NAME: Final = 1
_AFTER: Final = 2

_QUOTE: Final = 34
_COMMA: Final = 44
_COLON: Final = 58
_BACKSLASH: Final = 92
_OPEN_LIST: Final = 91
_CLOSE_LIST: Final = 93
_OPEN: Final = 123
_CLOSE: Final = 125
_EMPTY_LIST: Final = 101  # e
_BOOLEAN: Final = 98  # b
_FLOAT: Final = 102  # f
_INT32: Final = 105  # i
_INT64: Final = 108  # l
_NULL: Final = 110  # n
_STRING: Final = 115  # s

_TRUE_TEXT: Final = np.uint32(0x65757274)
_FALS_TEXT: Final = np.uint32(0x736C6166)
_NULL_TEXT: Final = np.uint32(0x6C6C756E)
_E: Final = 101

_EXACT: Final = np.uint64(1 << 53)
_LARGEST: Final = np.uint64((1 << 63) - 1)
_MOST_DIGITS: Final = 19  # of which a number of 64 bits without sign has room for all
_MOST_TENS: Final = 22  # powers of ten up to here are doubles
_GIVEN_UP: Final = 0


@inlined
def _past_blanks(p: Int, end: Int) -> Int:
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
        if c == _QUOTE:
            return p, escapes
        if c < 32:
            break
        if c == _BACKSLASH:
            escapes = True
            p += 1
        p += 1
    return _GIVEN_UP, escapes


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
            elif c not in (_QUOTE, _BACKSLASH, 47):
                return _GIVEN_UP
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
def _number(p: Int, end: Int, at: Int) -> Any:
    """Read a number and write its value at `at`; returns where it ends (0: given up) and its letter in the shape."""
    negative = load8(p) == 45
    if negative:
        p += 1
    if not _is_digit(p, end):
        return _GIVEN_UP, 0
    begins_with_zero = load8(p) == 48
    digits = 0
    places = 0
    mantissa = np.uint64(0)
    begin = p
    while _is_digit(p, end):
        mantissa = mantissa * np.uint64(10) + np.uint64(load8(p) - 48)
        digits += int(digits > 0 or load8(p) != 48)
        p += 1
    if (begins_with_zero and p - begin > 1) or digits > _MOST_DIGITS:
        return _GIVEN_UP, 0
    is_integer = True
    if p < end and load8(p) == 46:
        is_integer = False
        p += 1
        if not _is_digit(p, end):
            return _GIVEN_UP, 0
        while _is_digit(p, end):
            mantissa = mantissa * np.uint64(10) + np.uint64(load8(p) - 48)
            digits += int(digits > 0 or load8(p) != 48)
            places -= 1
            p += 1
    if p < end and (load8(p) | 32) == _E:
        is_integer = False
        p += 1
        minus = False
        if p < end and (load8(p) == 45 or load8(p) == 43):
            minus = load8(p) == 45
            p += 1
        if not _is_digit(p, end):
            return _GIVEN_UP, 0
        exponent = 0
        while _is_digit(p, end):
            exponent = exponent * 10 + np.int64(load8(p)) - 48 if exponent < _MOST_TENS * 100 else exponent
            p += 1
        places += -exponent if minus else exponent
    if is_integer:
        if mantissa > _LARGEST:
            return _GIVEN_UP, 0
        value = np.int64(mantissa)
        if negative:
            value = -value
        store64(at, np.uint64(value))
        return p, (_INT32 if -(1 << 31) <= value < (1 << 31) else _INT64)
    if digits > _MOST_DIGITS or mantissa > _EXACT or abs(places) > _MOST_TENS:
        return _GIVEN_UP, 0
    power = 1.0
    for _ in range(abs(places)):
        power *= 10.0
    number = np.float64(mantissa)
    number = number / power if places < 0 else number * power
    store64(at, float64_bits(-number if negative else number))
    return p, _FLOAT


@inlined
def _same_bytes(a: Int, b: Int, length: Int) -> bool:
    for k in range(length):  # noqa: SIM110 -- compiled: a generator is not
        if load8(a + k) != load8(b + k):
            return False
    return True


@inlined
def _object(
    source: Int, length: Int, buffer: Int, offset: Int, shape: Int, shape_end: Int, entries: Int, extra: Int,
    extra_start: Int, extra_buffer: Int, opened: Any,
) -> Any:  # fmt: skip
    """Read one object.

    Its shape is written at `shape`, its values at `entries`, texts without their escapes at `extra`. Returns the ends of these
    three; 0 instead of the first if it was given up.
    """
    p = source
    end = source + length
    o = shape
    e = entries
    x = extra
    depth = 0
    lists = 0
    state = _VALUE
    while True:
        p = _past_blanks(p, end)
        if p >= end or o + 8 > shape_end:
            return _GIVEN_UP, e, x
        c = load8(p)
        if depth == 0 and c != _OPEN:
            return _GIVEN_UP, e, x
        if state == _NAME:
            if c != _QUOTE:
                return _GIVEN_UP, e, x
            close, escapes = _string_end(p + 1, end)
            size = close + 1 - p
            if close == _GIVEN_UP or escapes or o + size + 8 > shape_end:
                return _GIVEN_UP, e, x
            copy_bytes(o, p, size)
            o += size
            p = _past_blanks(close + 1, end)
            if p >= end or load8(p) != _COLON:
                return _GIVEN_UP, e, x
            p += 1
            state = _VALUE
            continue
        if state == _VALUE:
            if c in (_OPEN, _OPEN_LIST):
                is_list = c == _OPEN_LIST
                if depth == DEEPEST or (is_list and lists > 0):
                    return _GIVEN_UP, e, x
                p = _past_blanks(p + 1, end)
                if p >= end:
                    return _GIVEN_UP, e, x
                is_empty = load8(p) == (_CLOSE_LIST if is_list else _CLOSE)
                if is_list and is_empty:
                    store8(o, np.uint8(_EMPTY_LIST))
                    o += 1
                    p += 1
                    state = _AFTER
                    continue
                store8(o, c)
                o += 1
                opened[depth, IS_LIST] = int(is_list)
                opened[depth, SHAPE_AT] = o
                opened[depth, ITEMS] = 0
                depth += 1
                if is_list:
                    lists += 1
                    opened[depth - 1, COUNT_AT] = e
                    e += 16
                    state = _VALUE
                else:
                    state = _AFTER if is_empty else _NAME
                continue
            letter = _NULL
            if c == _QUOTE:
                close, escapes = _string_end(p + 1, end)
                if close == _GIVEN_UP:
                    return _GIVEN_UP, e, x
                if escapes:
                    done = _unescaped(x, p + 1, close)
                    if done == _GIVEN_UP:
                        return _GIVEN_UP, e, x
                    _put_view(e, x, done - x, extra_buffer, x - extra_start)
                    x = done
                else:
                    _put_view(e, p + 1, close - p - 1, buffer, offset + (p + 1 - source))
                p = close + 1
                letter = _STRING
            elif c == 45 or 48 <= c <= 57:
                p, letter = _number(p, end, e)
                if p == _GIVEN_UP:
                    return _GIVEN_UP, e, x
            elif p + 4 <= end and load32(p) == _TRUE_TEXT:
                store64(e, np.uint64(1))
                p += 4
                letter = _BOOLEAN
            elif p + 5 <= end and load32(p) == _FALS_TEXT and load8(p + 4) == _E:
                store64(e, np.uint64(0))
                p += 5
                letter = _BOOLEAN
            elif p + 4 <= end and load32(p) == _NULL_TEXT:
                p += 4
            else:
                return _GIVEN_UP, e, x
            e += 16 * int(letter != _NULL)
            store8(o, np.uint8(letter))
            o += 1
            state = _AFTER
            continue
        top = depth - 1
        if opened[top, IS_LIST]:
            at = opened[top, SHAPE_AT]
            if opened[top, ITEMS] == 0:
                opened[top, FIRST_LENGTH] = o - at
            else:
                first = opened[top, FIRST_LENGTH]
                if o - at != 2 * first or not _same_bytes(at, at + first, first):
                    return _GIVEN_UP, e, x
                o = at + first
            opened[top, ITEMS] += 1
            if c == _COMMA:
                p += 1
                state = _VALUE
                continue
            if c != _CLOSE_LIST:
                return _GIVEN_UP, e, x
            store64(opened[top, COUNT_AT], np.uint64(opened[top, ITEMS]))
            lists -= 1
        elif c == _COMMA:
            p += 1
            state = _NAME
            continue
        elif c != _CLOSE:
            return _GIVEN_UP, e, x
        store8(o, c)
        o += 1
        p += 1
        depth -= 1
        if depth == 0:
            return o, e, x


@entry
def scan(
    table: Any, first: Int, n: Int, entries: Int, entry_bytes: Int, extra: Int, extra_buffer: Int, shapes: Int,
    shape_capacity: Int, shape_ends: Any, examples: Any, opened: Any, state: Any, starts: Any, codes: Any,
) -> Int:  # fmt: skip
    """Read texts from `first` on; returns the first one whose values may not fit, or the number of texts.

    `entries`, `extra` and `shapes` are addresses. `shape_ends` and `examples` have the end of each distinct shape and the first
    text of it, `starts` where the values of a text begin, in entries of 16 bytes, and `codes` its shape.
    """
    for i in range(first, n):
        codes[i] = NO_SHAPE
        starts[i] = 0
        if is_null(table, 0, i):
            continue
        source, length = bytes_at(table, 0, i)
        e = entries + 16 * state[ENTRIES]
        if e + 16 * length > entries + entry_bytes:  # no character makes more than one entry
            return i
        view = table[0, 0] + 16 * i
        shape = shapes + state[SHAPE_BYTES]
        o, end, x = _object(
            source, length, np.int64(load32(view + 8)), np.int64(load32(view + 12)), shape, shapes + shape_capacity, e,
            extra + state[EXTRA], extra, extra_buffer, opened,
        )  # fmt: skip
        if o == _GIVEN_UP:
            continue
        code = _known(shapes, shape_ends, state[SHAPES], shape, o - shape)
        if code == state[SHAPES]:
            if code == MOST_SHAPES:
                continue
            state[SHAPE_BYTES] += o - shape
            shape_ends[code] = state[SHAPE_BYTES]
            examples[code] = i
            state[SHAPES] += 1
        codes[i] = code
        starts[i] = state[ENTRIES]
        state[ENTRIES] += (end - e) >> 4
        state[EXTRA] = x - extra
    return n


@inlined
def _known(shapes: Int, ends: Any, count: Int, shape: Int, length: Int) -> Int:
    """The number of a shape among the distinct ones; their count, if it is new."""
    begin = 0
    for k in range(count):
        if ends[k] - begin == length and _same_bytes(shapes + begin, shape, length):
            return k
        begin = ends[k]
    return count
