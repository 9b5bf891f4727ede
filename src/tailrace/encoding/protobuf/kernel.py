# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""The compiled loop that writes records in Protobuf's binary form.

It runs programs like those of JSON (`render_kernel`), whose steps it extends by the tag of a field and how its value is there.
A step writes a constant and then one field. A message stands behind its length: its content is written behind as much room as
the length took in the row before, and moved in the few rows where that does not fit.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.changes.addressed_kernel import bytes_at, is_null, number_at
from tailrace.encoding.avro.kernel import NOT_NULL, copy_value, write_unsigned
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
from tailrace.kernels.memory import bit_length, load8, load32, load64, store8, store64

INT: Final = 1  # a varint
BOOL: Final = 2
FLOAT32: Final = 3
FLOAT64: Final = 4
SIZED: Final = 5  # bytes or a message
RAW: Final = 6  # fields that are in Protobuf's form already, with their tags
END: Final = 10  # of a message, which a BLOCK begins

TAG: Final = FIELDS
"""The field of a step that has the tag, as the bytes of a little-endian number; then how many bytes, and the mode."""
TAG_LENGTH: Final = FIELDS + 1
MODE: Final = FIELDS + 2
PROTOBUF_FIELDS: Final = FIELDS + 3

NONZERO: Final = 0  # zero, false and what is empty are not written
ALWAYS: Final = 1  # everything is written that is not null
WRAPPED: Final = 2  # everything is written, in a message whose field 1 it is
# The mode of a message: 0, or one more than the number of its name, if it must not be null.
BARE: Final = 3  # without a tag

ALWAYS_THERE: Final = -1
"""The role of a message that is never null."""

# The state of an open message: where its length stands, and how many bytes of room there are for that.
AT, ROOM, BLOCK_FIELDS = range(3)

_ONE: Final = np.uint64(1)


@inlined
def varint_size(rest: Any) -> Int:
    """The bytes of a varint."""
    return (bit_length(rest | _ONE) + 6) // 7


@inlined
def write_tag(o: Int, tag: Int, length: Int) -> Int:
    """Write a tag of up to eight bytes."""
    store64(o, np.uint64(tag))
    return o + length


@inlined
def open_wrapper(o: Int, mode: Int, first: Int, content: Int) -> Int:
    """Before a value in a message of its own: the length, and the tag of field 1, if there is content."""
    if mode != WRAPPED:
        return o
    if content == 0:
        store8(o, np.uint8(0))
        return o + 1
    o = write_unsigned(o, np.uint64(content + 1))
    store8(o, np.uint8(first))
    return o + 1


@inlined
def move(to: Int, source: Int, length: Int) -> None:
    """Copy bytes to where they may overlap with themselves."""
    if to > source:
        for k in range(length - 1, -1, -1):
            store8(to + k, load8(source + k))
    else:
        for k in range(length):
            store8(to + k, load8(source + k))


@inlined
def write_length(o: Int, length: Int) -> None:
    """Write a length, and nothing behind it."""
    rest = length
    while rest > 127:
        store8(o, np.uint8(rest & 127 | 128))
        rest >>= 7
        o += 1
    store8(o, np.uint8(rest))


@inlined
def close_message(o: Int, out: Int, blocks: Any, block: Int, repeats: Any) -> Int:
    """Write the length of a message before it; if the room for it was of another size, the message moves."""
    place, room = blocks[block, AT], blocks[block, ROOM]
    length = o - out - place - room
    size = varint_size(np.uint64(length))
    if size != room:
        move(out + place + size, out + place + room, length)
        for k in range(len(repeats)):
            if repeats[k, PLACE] >= place:
                repeats[k, PLACE] += size - room
        blocks[block, ROOM] = size
        o += size - room
    write_length(out + place, length)
    return o


@entry(
    arg.INT_TABLE, arg.INT, arg.INT_TABLE, arg.INT32_TABLE, arg.BYTES, arg.INT, arg.INT, arg.INT, arg.INTS,
    arg.INT_TABLE, arg.INT_TABLE, arg.INTS
)
def write_records(
    steps: Any, text: Int, table: Any, roles: Any, live: Any, first: Int, out: Int, capacity: Int, offsets: Any,
    repeats: Any, blocks: Any, failure: Any,
) -> Int:  # fmt: skip
    """Write rows from `first` on; returns the first row that did not fit, or the number of rows.

    `text` and `out` are the addresses of the constants and of the buffer. `repeats` and `blocks` are scratch space. If a value
    is null that must not be, the result is -1, and `failure` has the row and which value it is.
    """
    n = roles.shape[1]
    count = len(steps)
    end = out + capacity - SPARE
    o = out + offsets[first]
    repeats[:, ROW] = -2  # nothing was written yet; -1 would be the row of a role that has none
    repeats[:, PLACE] = -1
    blocks[:, ROOM] = 1
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
            if op == END:
                o = close_message(o, out, blocks, slot, repeats)
                p += 1
                continue
            role = steps[p, ROLE]
            row = np.int64(0) if role == ALWAYS_THERE else np.int64(roles[role, i])
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
                if null:
                    if steps[p, MODE] != 0:
                        failure[0] = i
                        failure[1] = steps[p, MODE] - 1
                        return -1
                    p = steps[p, A]
                    continue
                o = write_tag(o, steps[p, TAG], steps[p, TAG_LENGTH])
                block = steps[p, B]
                blocks[block, AT] = o - out
                o += blocks[block, ROOM]
                p += 1
                continue
            if null:
                if steps[p, A] == NOT_NULL:
                    failure[0] = i
                    failure[1] = steps[p, B]
                    return -1
                if o + steps[p, B] > end:
                    return i
                o = copy_constant(o, text + steps[p, A], steps[p, B])
                p += 1
                continue
            mode = steps[p, MODE]
            if op >= SIZED:
                source, length = bytes_at(table, slot, row)
                if o + length > end:
                    return i
                if op == RAW:
                    o = write_raw(o, source, length)
                elif length != 0 or mode != NONZERO:
                    o = write_tag(o, steps[p, TAG], steps[p, TAG_LENGTH])
                    inner = length + varint_size(np.uint64(length)) if length else 0
                    o = open_wrapper(o, mode, 0x0A, inner)
                    if length != 0 or mode != WRAPPED:
                        o = copy_value(write_unsigned(o, np.uint64(length)), source, length)
            else:
                bits = np.uint64(0)
                size = np.int64(8)
                if op == FLOAT64:
                    bits = load64(table[slot, 0] + 8 * row)
                elif op == FLOAT32:
                    bits = np.uint64(load32(table[slot, 0] + 4 * row))
                    size = np.int64(4)
                elif op == BOOL:
                    bits = np.uint64(number_at(table, slot, row) != 0)
                    size = np.int64(1)
                else:
                    bits = np.uint64(number_at(table, slot, row))
                    size = varint_size(bits)
                if bits != 0 or mode != NONZERO:
                    o = write_tag(o, steps[p, TAG], steps[p, TAG_LENGTH])
                    first_tag = 0x08 if op <= BOOL else 0x0D if op == FLOAT32 else 0x09
                    o = open_wrapper(o, mode, first_tag, size if bits != 0 else 0)
                    if bits != 0 or mode != WRAPPED:
                        if op == INT:
                            o = write_unsigned(o, bits)
                        else:
                            store64(o, bits)
                            o += size
            p += 1
        offsets[i + 1] = o - out
    return n
