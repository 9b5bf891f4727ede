# ruff: noqa: PLR1714, SIM109 -- compiled loops take what they need by position, and compare plainly
# mypy: disable-error-code="no-any-return, assignment"
"""MySQL's binary JSON as the compact text that Debezium streams.

A document is a tree of containers with offsets; a container lists its keys (already sorted, and kept in that
order), then its values, each a type byte and either the value itself or its offset from the container's
beginning. The tree is walked with an explicit stack, and every offset is checked: a damaged document ends in
an error, not in a read outside it. Values that JSON has no type for are kept as MySQL types: decimals
become numbers, dates and times text, anything else base64.

Source: MySQL source documentation, `json_binary.h`, whose first comment has the grammar.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.rows.decimals import decimal_size, put_decimal
from tailrace.connectors.mysql.rows.doubles import LONGEST, put_double
from tailrace.connectors.mysql.rows.raw import little, mark, offset_of
from tailrace.connectors.mysql.rows.scan import NEED
from tailrace.connectors.mysql.rows.strings import put_base64
from tailrace.connectors.mysql.rows.temporal import ZERO_IS_TEXT
from tailrace.connectors.shared.number_text import put_integer
from tailrace.kernels.arrays import (
    copy_bytes,
    load8,
    load16,
    load32,
    load64,
    put_null_view,
    put_view,
    store64,
)
from tailrace.kernels.compiling import Int, compiled, inlined

(
    _SMALL_OBJECT,
    _LARGE_OBJECT,
    _SMALL_ARRAY,
    _LARGE_ARRAY,
    _LITERAL,
    _INT16,
    _UINT16,
    _INT32,
    _UINT32,
    _INT64,
    _UINT64,
    _DOUBLE,
    _STRING,
) = range(13)
_OPAQUE: Final = 15

# Types of opaque values, enum_field_types of MySQL.
_DECIMAL, _TIMESTAMP, _DATE, _TIME, _DATETIME, _TIMESTAMP2, _DATETIME2, _TIME2, _NEWDECIMAL = (
    0, 7, 10, 11, 12, 17, 18, 19, 246,
)  # fmt: skip

_DEPTH: Final = 128  # MySQL allows 100
_START, _STOP, _COUNT, _INDEX, _SHAPE, _FRAME = range(6)  # of a frame of the stack
STACK: Final = _DEPTH * _FRAME
"""How many numbers the stack takes."""

_FULL: Final = -1
_DAMAGED: Final = -2
_GROWTH: Final = (
    128  # text of a sound document is shorter than its bytes times this: a double takes up to 1077
)

_ONES: Final = np.uint64(0x0101010101010101)
_SPACES: Final = np.uint64(0x2020202020202020)
_QUOTES: Final = np.uint64(0x2222222222222222)
_BACKSLASHES: Final = np.uint64(0x5C5C5C5C5C5C5C5C)
_HIGH_BITS: Final = np.uint64(0x8080808080808080)

_TRUE: Final = np.frombuffer(b"true", np.uint8).copy()
_FALSE: Final = np.frombuffer(b"false", np.uint8).copy()
_NULL: Final = np.frombuffer(b"null", np.uint8).copy()
_HEX: Final = np.frombuffer(b"0123456789ABCDEF", np.uint8).copy()


@compiled
def jsons(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    prefix: Int,
    zero: Int,
    tables: Any,
    zero_text: Int,
    bitmap: Int,
    marks: Any,
    diffs: Int,
    which: Int,
    first: Int,
    size: Int,
    aux: Any,
    ao: Int,
    stack: Any,
    limbs: Any,
    state: Any,
) -> Int:
    """The text of each document; the new end of `aux`, -1 if too small, -2 - j for a damaged document.

    A value of no bytes, which a server writes for a document that it could not make, becomes `zero_text` or
    null. Values that are differences (see `partial_json.py`) stay bytes: views of the log.
    """
    for j in range(k):
        o = offset_of(offsets, c, j)
        place = at + 16 * j
        if o < 0:
            put_null_view(mem, place)
            continue
        n = little(data, o, prefix)
        o += prefix
        i = first + j
        is_diff = marks[which] > 0 and (mem[diffs + (i >> 3)] >> (i & 7)) & 1 == 1
        if is_diff or (n > 0 and data[o] > 15):
            put_view(mem, place, data, 0, o, n)  # a difference, or text as MariaDB stores it
        elif n == 0 and zero == ZERO_IS_TEXT:
            store64(mem, place, load64(tables, zero_text))
            store64(mem, place + 8, load64(tables, zero_text + 8))
        elif n == 0:
            put_null_view(mem, place)
            mark(mem, bitmap, marks, c, i, size, 0)
        else:
            p = put_json(data, o, o + n, aux, ao, stack, limbs)
            if p == _FULL:
                state[NEED] = 3 * n + LONGEST
                return -1
            if p < 0:
                return -2 - j
            put_view(mem, place, aux, 1, ao, p - ao)
            if p - ao > 12:
                ao = p
    return ao


@compiled
def put_json(data: Any, o: Int, stop: Int, aux: Any, ao: Int, stack: Any, limbs: Any) -> Int:
    """Writes the document at `data[o:stop]`; the place after, -1 if `aux` is too small, -2 if damaged."""
    room = len(aux)
    most = min(room, ao + _GROWTH * (stop - o) + LONGEST)
    type_ = np.int64(data[o])
    if type_ > _LARGE_ARRAY:
        return _put_scalar(data, type_, o + 1, stop, aux, ao, limbs)
    if ao + 2 > room:
        return _FULL
    if not _open(data, type_, o + 1, stop, stack, 0):
        return _DAMAGED
    p = ao
    aux[p] = _bracket(type_)
    p += 1
    frame = 0
    while frame >= 0:
        if p + 4 > most:
            return _FULL if most == room else _DAMAGED
        shape = stack[frame + _SHAPE]
        index = stack[frame + _INDEX]
        if index == stack[frame + _COUNT]:
            aux[p] = _bracket(shape) + 2
            p += 1
            frame -= _FRAME
            continue
        stack[frame + _INDEX] = index + 1
        if index > 0:
            aux[p] = 44
            p += 1
        start = stack[frame + _START]
        end = stack[frame + _STOP]
        width = 4 if (shape & 1) == 1 else 2
        entry = start + 2 * width
        if shape < _SMALL_ARRAY:
            key = entry + index * (width + 2)
            entry += stack[frame + _COUNT] * (width + 2)
            at = start + (np.int64(load16(data, key)) if width == 2 else np.int64(load32(data, key)))
            n = np.int64(load16(data, key + width))
            if at + n > end:
                return _DAMAGED
            p = put_quoted(data, at, n, aux, p)
            if p < 0:
                return p
            aux[p] = 58  # `put_quoted` leaves room for one byte more
            p += 1
        entry += index * (width + 1)
        type_ = np.int64(data[entry])
        at = entry + 1
        inside = type_ == _LITERAL or type_ == _INT16 or type_ == _UINT16
        if not (inside or (width == 4 and (type_ == _INT32 or type_ == _UINT32))):
            at = start + (np.int64(load16(data, at)) if width == 2 else np.int64(load32(data, at)))
            if at >= end:
                return _DAMAGED
        if type_ == _STRING:
            n, at = _length(data, at, end)
            p = put_quoted(data, at, n, aux, p) if n >= 0 else _DAMAGED
        elif type_ > _LARGE_ARRAY:
            p = _put_scalar(data, type_, at, end, aux, p, limbs)
        else:
            frame += _FRAME
            if frame == _DEPTH * _FRAME or not _open(data, type_, at, end, stack, frame):
                return _DAMAGED
            aux[p] = _bracket(type_)
            p += 1
        if p < 0:
            return p
    return p


@inlined
def _bracket(shape: Int) -> Int:
    """The byte that opens a container; the one that closes it comes two after."""
    return np.uint8(91) if shape >= _SMALL_ARRAY else np.uint8(123)


@inlined
def _open(data: Any, type_: Int, o: Int, stop: Int, stack: Any, frame: Int) -> bool:
    """Pushes the container at `o`; False where it does not fit between there and `stop`."""
    width = 4 if (type_ & 1) == 1 else 2
    if o + 2 * width > stop:
        return False
    count = little(data, o, width)
    size = little(data, o + width, width)
    entry = width + 1 + (width + 2 if type_ < _SMALL_ARRAY else 0)
    if size > stop - o or 2 * width + count * entry > size:
        return False
    stack[frame + _START] = o
    stack[frame + _STOP] = o + size
    stack[frame + _COUNT] = count
    stack[frame + _INDEX] = 0
    stack[frame + _SHAPE] = type_
    return True


@compiled
def _put_scalar(data: Any, type_: Int, o: Int, stop: Int, aux: Any, p: Int, limbs: Any) -> Int:
    """Writes a value that is no container."""
    if type_ == _STRING:
        n, o = _length(data, o, stop)
        return put_quoted(data, o, n, aux, p) if n >= 0 else _DAMAGED
    if type_ == _OPAQUE:
        return _put_opaque(data, o, stop, aux, p)
    if p + 24 > len(aux):
        return _FULL
    if type_ == _LITERAL:
        return _put_literal(data[o], aux, p) if o + 1 <= stop else _DAMAGED
    if type_ == _INT16 or type_ == _UINT16:
        if o + 2 > stop:
            return _DAMAGED
        half = load16(data, o)
        number = np.int64(np.int16(half)) if type_ == _INT16 else np.int64(half)
        return put_integer(aux, p, np.uint64(number), number < 0)
    if type_ == _INT32 or type_ == _UINT32:
        if o + 4 > stop:
            return _DAMAGED
        word = load32(data, o)
        number = np.int64(np.int32(word)) if type_ == _INT32 else np.int64(word)
        return put_integer(aux, p, np.uint64(number), number < 0)
    if type_ > _DOUBLE or o + 8 > stop:
        return _DAMAGED
    bits = load64(data, o)
    if type_ == _DOUBLE:
        return put_double(aux, p, bits, limbs) if p + LONGEST <= len(aux) else _FULL
    return put_integer(aux, p, bits, type_ == _INT64 and np.int64(bits) < 0)


@compiled
def _put_literal(code: Int, aux: Any, p: Int) -> Int:
    if code == 0:
        copy_bytes(aux, p, _NULL, 0, 4)
        return p + 4
    if code == 1:
        copy_bytes(aux, p, _TRUE, 0, 4)
        return p + 4
    if code == 2:
        copy_bytes(aux, p, _FALSE, 0, 5)
        return p + 5
    return _DAMAGED


@inlined
def _length(data: Any, o: Int, stop: Int) -> Any:
    """(length, place after) of a length in groups of seven bits; -1 where it or its bytes do not fit."""
    n = np.int64(0)
    for i in range(5):
        if o >= stop:
            return np.int64(-1), o
        byte = np.int64(data[o])
        o += 1
        n |= (byte & 127) << (7 * i)
        if byte < 128:
            return (n if o + n <= stop else np.int64(-1)), o
    return np.int64(-1), o


@inlined
def put_quoted(data: Any, o: Int, n: Int, aux: Any, p: Int) -> Int:
    """Writes UTF-8 text in quotes, with as few escapes as can be and hexadecimal in upper case, as Debezium.

    The place after, with room for one byte more; -1 where `aux` is too small.
    """
    if p + n + 12 > len(aux):
        return _FULL
    aux[p] = 34
    p += 1
    i = 0
    while i + 8 <= n:
        word = load64(data, o + i)
        if _has_special(word):
            return _put_escaping(data, o + i, o + n, aux, p + i)
        store64(aux, p + i, word)
        i += 8
    while i < n:
        byte = load8(data, o + i)
        if byte < 32 or byte == 34 or byte == 92:
            return _put_escaping(data, o + i, o + n, aux, p + i)
        aux[p + i] = byte
        i += 1
    aux[p + n] = 34
    return p + n + 1


@inlined
def _has_special(word: Int) -> bool:
    """Whether one of eight bytes is a control character, a quote or a backslash."""
    quote = word ^ _QUOTES
    backslash = word ^ _BACKSLASHES
    found = (word - _SPACES) & ~word
    found |= (quote - _ONES) & ~quote
    found |= (backslash - _ONES) & ~backslash
    return found & _HIGH_BITS != np.uint64(0)


@compiled
def _put_escaping(data: Any, o: Int, stop: Int, aux: Any, p: Int) -> Int:
    """Writes the rest of a text byte by byte, and the closing quote."""
    special = 0
    for i in range(o, stop):
        byte = data[i]
        special += (byte < 32) | (byte == 34) | (byte == 92)
    if p + stop - o + 5 * special + 2 > len(aux):
        return _FULL
    for i in range(o, stop):
        p = _put_escaped(data[i], aux, p)
    aux[p] = 34
    return p + 1


@compiled
def _put_escaped(byte: Int, aux: Any, p: Int) -> Int:
    if byte >= 32 and byte != 34 and byte != 92:
        aux[p] = byte
        return p + 1
    aux[p] = 92
    short = np.uint8(0)
    if byte >= 32:
        short = byte
    elif byte == 8:
        short = np.uint8(98)
    elif byte == 9:
        short = np.uint8(116)
    elif byte == 10:
        short = np.uint8(110)
    elif byte == 12:
        short = np.uint8(102)
    elif byte == 13:
        short = np.uint8(114)
    if short > 0:
        aux[p + 1] = short
        return p + 2
    aux[p + 1] = 117
    aux[p + 2] = 48
    aux[p + 3] = 48
    aux[p + 4] = _HEX[byte >> 4]
    aux[p + 5] = _HEX[byte & 15]
    return p + 6


@compiled
def _put_opaque(data: Any, o: Int, stop: Int, aux: Any, p: Int) -> Int:
    """Writes a value of a MySQL type."""
    if o + 1 > stop:
        return _DAMAGED
    type_ = np.int64(data[o])
    n, o = _length(data, o + 1, stop)
    if n < 0:
        return _DAMAGED
    if p + 96 > len(aux):
        return _FULL
    if type_ == _NEWDECIMAL or type_ == _DECIMAL:
        return _put_opaque_decimal(data, o, n, aux, p)
    if (
        type_ == _DATE
        or type_ == _DATETIME
        or type_ == _DATETIME2
        or type_ == _TIMESTAMP
        or type_ == _TIMESTAMP2
    ):
        return _put_moment(np.int64(load64(data, o)), type_ == _DATE, aux, p) if n >= 8 else _DAMAGED
    if type_ == _TIME or type_ == _TIME2:
        return _put_duration(np.int64(load64(data, o)), aux, p) if n >= 8 else _DAMAGED
    if p + (n + 2) // 3 * 4 + 2 > len(aux):
        return _FULL
    aux[p] = 34
    p = put_base64(aux, p + 1, data, o, n, n, False)
    aux[p] = 34
    return p + 1


@compiled
def _put_opaque_decimal(data: Any, o: Int, n: Int, aux: Any, p: Int) -> Int:
    if n < 2:
        return _DAMAGED
    precision, scale = np.int64(data[o]), np.int64(data[o + 1])
    if precision > 65 or precision == 0 or scale > precision or n - 2 < decimal_size(precision, scale):
        return _DAMAGED
    start, stop = put_decimal(data, o + 2, precision, scale, aux, p)
    for i in range(stop - start):
        aux[p + i] = aux[start + i]
    return p + stop - start


@compiled
def _put_moment(packed: Int, date_only: bool, aux: Any, p: Int) -> Int:
    """Writes a date, or a date and a time, in quotes."""
    micros = packed & 0xFFFFFF
    packed >>= 24
    month = (packed >> 22) & 0x1FFFF
    aux[p] = 34
    p = _put_padded(aux, p + 1, month // 13, 4)
    aux[p] = 45
    p = _put_padded(aux, p + 1, month % 13, 2)
    aux[p] = 45
    p = _put_padded(aux, p + 1, (packed >> 17) & 31, 2)
    if not date_only:
        aux[p] = 32
        p = _put_time(aux, p + 1, (packed >> 12) & 31, packed, micros)
    aux[p] = 34
    return p + 1


@compiled
def _put_duration(packed: Int, aux: Any, p: Int) -> Int:
    """Writes a TIME in quotes."""
    aux[p] = 34
    p += 1
    if packed < 0:
        packed = -packed
        aux[p] = 45
        p += 1
    micros = packed & 0xFFFFFF
    packed >>= 24
    p = _put_time(aux, p, (packed >> 12) & 1023, packed, micros)
    aux[p] = 34
    return p + 1


@compiled
def _put_time(aux: Any, p: Int, hour: Int, packed: Int, micros: Int) -> Int:
    """Writes a time of day, with as many digits of its fraction as it needs."""
    p = _put_padded(aux, p, hour, 2)
    aux[p] = 58
    p = _put_padded(aux, p + 1, (packed >> 6) & 63, 2)
    aux[p] = 58
    p = _put_padded(aux, p + 1, packed & 63, 2)
    if micros == 0:
        return p
    digits = 6
    while micros % 10 == 0:
        micros //= 10
        digits -= 1
    aux[p] = 46
    return _put_padded(aux, p + 1, micros, digits)


@compiled
def _put_padded(aux: Any, p: Int, value: Int, width: Int) -> Int:
    """Writes a number with at least `width` digits."""
    digits = 1
    rest = value // 10
    while rest > 0:
        digits += 1
        rest //= 10
    digits = max(digits, width)
    for i in range(digits - 1, -1, -1):
        aux[p + i] = np.uint8(48 + value % 10)
        value //= 10
    return p + digits
