# mypy: disable-error-code="no-any-return, arg-type, return-value, assignment"
"""The compiled loop that reads JSON objects: the shape of each, and its values (see `json_scan.py`).

It reads what can be read without a second thought, and gives up on the rest: a text that it reads is JSON, and its values are
exact. It gives up on what is no object, on lists within lists, lists whose items have several shapes, integers beyond 64 bits,
numbers whose digits do not fit into a double exactly, and texts with escaped code points.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load8, load32, load64, store8, store64
from tailrace.transforms.json_values_kernel import EMPTY_LIST, GIVEN_UP, NULL, name, past_blanks, scalar

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

_COMMA: Final = 44
_OPEN_LIST: Final = 91
_CLOSE_LIST: Final = 93
_OPEN: Final = 123
_CLOSE: Final = 125
_INLINE: Final = 12  # Arrow: a view of up to 12 bytes contains the text itself


@inlined
def _same_bytes(a: Int, b: Int, length: Int) -> bool:
    for k in range(length):  # noqa: SIM110 -- compiled: a generator is not
        if load8(a + k) != load8(b + k):
            return False
    return True


@inlined
def _item_ended(opened: Any, top: Int, o: Int) -> Int:
    """The end of the shape without the item of a list that ends at `o`, if that is like the first one; else 0."""
    at = opened[top, SHAPE_AT]
    opened[top, ITEMS] += 1
    if opened[top, ITEMS] == 1:
        opened[top, FIRST_LENGTH] = o - at
        return o
    first = opened[top, FIRST_LENGTH]
    return at + first if o - at == 2 * first and _same_bytes(at, at + first, first) else GIVEN_UP


@inlined
def _opened(opened: Any, depth: Int, c: Any, o: Int, e: Int) -> None:
    """Note a list or an object that begins; of a list the first entry is the number of items."""
    opened[depth, IS_LIST] = int(c == _OPEN_LIST)
    opened[depth, SHAPE_AT] = o
    opened[depth, ITEMS] = 0
    opened[depth, COUNT_AT] = e


@inlined
def _object(
    source: Int, length: Int, origin: Int, buffer: Int, shape: Int, shape_end: Int, entries: Int, extra: Int,
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
        p = past_blanks(p, end)
        if p >= end or o + 8 > shape_end or (depth == 0 and load8(p) != _OPEN):
            break
        c = load8(p)
        if state == _NAME:
            p, o = name(p, end, o, shape_end)
            state = _VALUE
        elif state == _VALUE and c in (_OPEN, _OPEN_LIST):
            is_list = c == _OPEN_LIST
            p = past_blanks(p + 1, end)
            if depth == DEEPEST or (is_list and lists > 0) or p >= end:
                break
            is_empty = load8(p) == (_CLOSE_LIST if is_list else _CLOSE)
            state = _AFTER if is_empty else (_VALUE if is_list else _NAME)
            store8(o, np.uint8(EMPTY_LIST) if is_list and is_empty else c)
            o += 1
            if is_list and is_empty:
                p += 1
            else:
                _opened(opened, depth, c, o, e)
                depth += 1
                lists += int(is_list)
                e += 16 * int(is_list)
        elif state == _VALUE:
            p, letter, x = scalar(p, end, e, x, origin, buffer, extra_start, extra_buffer)
            e += 16 * int(letter != NULL)
            store8(o, np.uint8(letter))
            o += 1
            state = _AFTER
        else:
            top = depth - 1
            is_list = opened[top, IS_LIST] != 0
            if is_list:
                o = _item_ended(opened, top, o)
                if o == GIVEN_UP:
                    break
            p += 1
            if c == _COMMA:
                state = _VALUE if is_list else _NAME
                continue
            if c != (_CLOSE_LIST if is_list else _CLOSE):
                break
            if is_list:
                store64(opened[top, COUNT_AT], np.uint64(opened[top, ITEMS]))
                lists -= 1
            store8(o, c)
            o += 1
            depth = top
            if depth == 0:
                return o, e, x
        if p == GIVEN_UP:
            break
    return GIVEN_UP, e, x


@inlined
def _buffer_of(table: Any, row: Int, length: Int) -> Any:
    """The buffer in which a text stands, and where it begins; parts of a text in its view are in views of their own as well."""
    if length <= _INLINE:
        return 0, 0
    buffer = np.int64(load32(table[0, 0] + 16 * row + 8))
    return buffer, np.int64(load64(table[0, 2] + 8 * buffer))


@entry(
    arg.INT_TABLE, arg.INT, arg.INT, arg.INT, arg.INT, arg.INT, arg.INT, arg.INT, arg.INT, arg.INTS, arg.INTS,
    arg.INT_TABLE, arg.INTS, arg.INTS, arg.INTS
)
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
        buffer, origin = _buffer_of(table, i, length)
        shape = shapes + state[SHAPE_BYTES]
        o, end, x = _object(
            source, length, origin, buffer, shape, shapes + shape_capacity, e, extra + state[EXTRA], extra, extra_buffer, opened
        )  # fmt: skip
        if o == GIVEN_UP:
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
