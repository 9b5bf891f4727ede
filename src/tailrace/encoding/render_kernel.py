# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""The compiled loop that runs a template (see `render.py`).

A step writes a constant and then one value. The loop never writes past the end of its buffer: before each step it checks for
the most that the step can write (`text_kernel` says how much that is), and returns at the row that does not fit.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null, number_at
from tailrace.encoding.text_kernel import (
    count_digits,
    write_base64,
    write_bool,
    write_digits,
    write_int,
    write_null,
    write_raw,
    write_text,
)
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import copy16, copy_bytes, store64

NOTHING: Final = 0
INT: Final = 1
BOOL: Final = 2
TEXT: Final = 3
RAW: Final = 4
BASE64: Final = 5
PADDED: Final = 6
BLOCK: Final = 7
REPEAT: Final = 8
REPEATED: Final = 9

# The fields of a step: the operation, the constant before its value, the vector and role of the value, two parameters.
OP, START, LENGTH, SLOT, ROLE, A, B, FIELDS = range(8)

# The state of a repeated part: the row for which it was written last, where in the buffer, and its length.
ROW, PLACE, SIZE, REPEAT_FIELDS = range(4)

SPARE: Final = 64
"""Bytes that a step may write after its constant without another check; also how far a copy may go past its end."""
_SHORT: Final = 96  # a constant up to this length is copied 16 bytes at a time, without a call


@inlined
def copy_constant(o: Int, source: Int, length: Int) -> Int:
    """Copy a constant; up to 15 more bytes are read and written, because that is faster and both sides have room."""
    if length > _SHORT:
        copy_bytes(o, source, length)
    else:
        k = 0
        while k < length:
            copy16(o + k, source + k)
            k += 16
    return o + length


@entry(
    arg.INT_TABLE, arg.INT, arg.INT_TABLE, arg.INT32_TABLE, arg.BYTES, arg.INT, arg.INT, arg.INT, arg.INTS,
    arg.INT_TABLE
)
def render(
    steps: Any, text: Int, table: Any, roles: Any, live: Any, first: Int, out: Int, capacity: Int, offsets: Any,
    repeats: Any,
) -> Int:  # fmt: skip
    """Write rows from `first` on; returns the first row that did not fit, or the number of rows.

    `text` and `out` are the addresses of the constants and of the buffer. `repeats` is scratch space.
    """
    n = roles.shape[1]
    count = len(steps)
    end = out + capacity - SPARE
    o = out + offsets[first]
    repeats[:, ROW] = -2  # nothing was written yet; -1 would be the row of a role that has none
    for i in range(first, n):
        p = 0 if live[i] else count
        while p < count:
            if o + steps[p, LENGTH] > end:
                return i
            o = copy_constant(o, text + steps[p, START], steps[p, LENGTH])
            op = steps[p, OP]
            if op == NOTHING:
                p += 1
                continue
            slot = steps[p, SLOT]
            if op == REPEATED:
                repeats[slot, SIZE] = o - out - repeats[slot, PLACE]
                p += 1
                continue
            row = np.int64(roles[steps[p, ROLE], i])
            if op == REPEAT:
                p += 1
                if repeats[slot, ROW] != row:
                    repeats[slot, ROW] = row
                    repeats[slot, PLACE] = o - out
                elif o + repeats[slot, SIZE] > end:
                    return i
                else:
                    o = write_raw(o, out + repeats[slot, PLACE], repeats[slot, SIZE])
                    p = steps[p - 1, A]
                continue
            null = is_null(table, slot, row)
            if op == BLOCK:
                p = p + 1
                if null:
                    o = write_null(o)
                    p = steps[p - 1, A]
                continue
            if op == INT and not null:
                o = write_int(o, number_at(table, slot, row))
            elif op == PADDED:
                value = np.uint64(number_at(table, slot, row))
                digits = count_digits(value)
                if digits < steps[p, A]:
                    zeros = np.uint64(0x3030303030303030)
                    for k in range(0, steps[p, A] - digits, 8):
                        store64(o + k, zeros)
                    o += steps[p, A] - digits
                o = write_digits(o, value, digits)
            elif null:
                if o + steps[p, B] > end:
                    return i
                o = copy_constant(o, text + steps[p, A], steps[p, B])
            elif op == BOOL:
                o = write_bool(o, number_at(table, slot, row))
            else:
                source, length = bytes_at(table, slot, row)
                if op == TEXT:
                    if o + 6 * length > end:
                        return i
                    o = write_text(o, source, length)
                elif o + 2 * length > end:
                    return i
                elif op == BASE64:
                    o = write_base64(o, source, length)
                else:
                    o = write_raw(o, source, length)
            p += 1
        offsets[i + 1] = o - out
    return n
