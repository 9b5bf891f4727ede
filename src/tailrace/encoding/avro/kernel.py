# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""The compiled loop that writes records in Avro's binary form.

It runs programs like those of JSON (`render_kernel`), whose steps it extends by one field: the branch of a union. A step
writes a constant, the branch and then one value. The loop never writes past the end of its buffer: before each step it checks
for the most that the step can write, and returns at the row that does not fit.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null, number_at
from tailrace.encoding.render_kernel import (
    BLOCK,
    FIELDS,
    LENGTH,
    NOTHING,
    OP,
    PLACE,
    REPEAT,
    REPEATED,
    ROLE,
    ROW,
    SIZE,
    SLOT,
    SPARE,
    START,
    A,
    B,
    copy_constant,
)
from tailrace.encoding.text_kernel import write_raw
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import bit_length, copy16, copy_bytes, load32, load64, store8, store32, store64

INT: Final = 1  # a varint
BOOL: Final = 2
FLOAT32: Final = 3
FLOAT64: Final = 4
SIZED: Final = 5  # bytes after their length
RAW: Final = 6  # bytes that are in Avro's form already

BRANCH: Final = FIELDS
"""The field of a step that has the branch of a value: one of the following."""
AVRO_FIELDS: Final = FIELDS + 1
NO_UNION: Final = 0
VALUE_FIRST: Final = 1
VALUE_SECOND: Final = 2

NOT_NULL: Final = -1
"""In field A of a step: a null is an error, and field B says which value it is."""

_LOW_28: Final = np.uint64(0x000000000FFFFFFF)
_HIGH_28: Final = np.uint64(0x00FFFFFFF0000000)
_LOW_14S: Final = np.uint64(0x00003FFF00003FFF)
_HIGH_14S: Final = np.uint64(0x0FFFC0000FFFC000)
_LOW_7S: Final = np.uint64(0x007F007F007F007F)
_HIGH_7S: Final = np.uint64(0x3F803F803F803F80)
_MORE: Final = np.uint64(0x8080808080808080)
_ONE: Final = np.uint64(1)


@inlined
def write_unsigned(o: Int, rest: Any) -> Int:
    """Write a number: seven bits a byte, the lowest first, each but the last with its highest bit set.

    The lower 56 bits are spread over eight bytes in three steps, without a loop; ten bytes may be written.
    """
    spread = (rest & _LOW_28) | ((rest & _HIGH_28) << np.uint64(4))
    spread = (spread & _LOW_14S) | ((spread & _HIGH_14S) << np.uint64(2))
    spread = (spread & _LOW_7S) | ((spread & _HIGH_7S) << _ONE)
    bits = bit_length(rest | _ONE)
    if bits <= 56:
        count = (bits + 6) // 7
        store64(o, spread | (_MORE & ((_ONE << np.uint64(8 * (count - 1))) - _ONE)))
        return o + count
    store64(o, spread | _MORE)
    high = rest >> np.uint64(56)
    if bits <= 63:
        store8(o + 8, np.uint8(high))
        return o + 9
    store8(o + 8, np.uint8(high | np.uint64(128)))
    store8(o + 9, np.uint8(1))
    return o + 10


@inlined
def write_varint(o: Int, value: Int) -> Int:
    """Write a signed number: zig-zag, as `write_unsigned`."""
    return write_unsigned(o, np.uint64((value << 1) ^ (value >> 63)))


@inlined
def copy_value(o: Int, source: Int, length: Int) -> Int:
    """Copy a value; up to 15 bytes more may be written behind it.

    The last chunk of a copy may overlap the one before; nothing is read outside the value and its view.
    """
    if length <= 12:  # the value is in its view, which has room for twelve bytes
        store64(o, load64(source))
        store32(o + 8, load32(source + 8))
    elif length < 16:
        store64(o, load64(source))
        store64(o + length - 8, load64(source + length - 8))
    elif length <= 64:
        k = 0
        while k < length - 16:
            copy16(o + k, source + k)
            k += 16
        copy16(o + length - 16, source + length - 16)
    else:
        copy_bytes(o, source, length)
    return o + length


@inlined
def write_sized(o: Int, source: Int, length: Int) -> Int:
    """Write bytes after their length; see `copy_value`."""
    return copy_value(write_varint(o, length), source, length)


@inlined
def write_branch(o: Int, branch: Int) -> Int:
    """Write the branch of a value, where there is a union."""
    store8(o, np.uint8(branch & 2))
    return o + int(branch != NO_UNION)


@entry(
    arg.INT_TABLE, arg.INT, arg.INT_TABLE, arg.INT32_TABLE, arg.BYTES, arg.INT, arg.INT, arg.INT, arg.INTS,
    arg.INT_TABLE, arg.INTS
)
def write_records(
    steps: Any, text: Int, table: Any, roles: Any, live: Any, first: Int, out: Int, capacity: Int, offsets: Any,
    repeats: Any, failure: Any,
) -> Int:  # fmt: skip
    """Write rows from `first` on; returns the first row that did not fit, or the number of rows.

    `text` and `out` are the addresses of the constants and of the buffer. `repeats` is scratch space. If a value is null that
    must not be, the result is -1, and `failure` has the row and which value it is.
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
            branch = steps[p, BRANCH]
            if is_null(table, slot, row):
                if op == BLOCK and branch != NO_UNION:
                    store8(o, np.uint8(2 - (branch & 2)))
                    o += 1
                    p = steps[p, A]
                    continue
                if op == BLOCK or steps[p, A] == NOT_NULL:
                    failure[0] = i
                    failure[1] = steps[p, B]
                    return -1
                if o + steps[p, B] > end:
                    return i
                o = copy_constant(o, text + steps[p, A], steps[p, B])
                p += 1
                continue
            o = write_branch(o, branch)
            if op == INT:
                o = write_varint(o, number_at(table, slot, row))
            elif op == FLOAT64:
                store64(o, load64(table[slot, 0] + 8 * row))
                o += 8
            elif op == BOOL:
                store8(o, np.uint8(number_at(table, slot, row) != 0))
                o += 1
            elif op == FLOAT32:
                store32(o, load32(table[slot, 0] + 4 * row))
                o += 4
            elif op != BLOCK:
                source, length = bytes_at(table, slot, row)
                if o + length > end:
                    return i
                o = write_sized(o, source, length) if op == SIZED else write_raw(o, source, length)
            p += 1
        offsets[i + 1] = o - out
    return n
