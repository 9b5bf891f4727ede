# mypy: disable-error-code="no-any-return, assignment"
"""Transcodes rows of the binary protocol into row images of the log, in one pass over the packets.

A row of a prepared statement's result is a zero byte, a null bitmap (two bits of it are not used) and the
values. A row image is a null bitmap and the values as they are stored: times are packed,
decimals are groups of digits, lengths have a fixed size. Values with the same form are copied. The columns of the key
are written a second time after the others, for a decoder that returns them in two forms.

Nothing is read outside a packet: a value that exceeds it, or the column's type, stops the pass.
`data` must have `SPARE` bytes more than are in use, since numbers are copied eight bytes at a time.

Source: MySQL source documentation, "Binary Protocol Resultset"; for the images `rows/scan.py`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.selecting.values import put_value
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import copy_bytes, load8, load32, store8
from tailrace.kernels.compiling import Int, compiled, entry, inlined

# What `state` holds between calls: where to continue reading and writing, rows so far, bytes needed, column at fault.
IN, OUT, ROWS, NEED, COLUMN, STATE_SIZE = range(6)

# How a pass ended: more bytes are needed; no room for another row; the next row is longer than a packet; the next
# packet is not a row; a value is damaged.
MORE, FULL, LONG, END, DAMAGED = range(5)

HEADER: Final = 4
LONGEST: Final = 0xFFFFFF
"""Bytes of a packet that is continued in the next."""
SPARE: Final = 16


@entry(arg.READ_BYTES, arg.INT, arg.INT_TABLE, arg.INTS, arg.INTS, arg.INT, arg.INT, arg.INT, arg.BYTES, arg.INTS)
def transcode(
    data: Any,
    end: Int,
    ops: Any,
    keys: Any,
    spans: Any,
    slack: Int,
    copies: Int,
    limit: Int,
    out: Any,
    state: Any,
) -> Int:
    """Transcode whole packets of `data[state[IN]:end]`; returns how the pass ended.

    Args:
        data: packets with their headers.
        end: where they end.
        ops: a row of numbers for each column, see `values.py`.
        keys: the columns to be written twice.
        spans: room for one number more than there are columns.
        slack: bytes that a row's image may take more than `copies` times its packet.
        copies: see `slack`.
        limit: most rows.
        out: where the images go, from `state[OUT]` on.
        state: see above; `NEED` becomes the bytes of the next packet, as far as known.

    """
    p, o, rows = state[IN], state[OUT], state[ROWS]
    status = MORE
    while True:
        state[NEED] = HEADER
        if end - p < HEADER:
            break
        length = np.int64(load32(data, p)) & LONGEST
        if length == LONGEST:
            status = LONG
            break
        state[NEED] = HEADER + length
        if end - p < HEADER + length:
            break
        if length == 0 or load8(data, p + HEADER) != 0:
            status = END
            break
        if rows == limit or o + copies * length + slack > len(out):
            status = FULL
            break
        after = _row(data, p + HEADER, p + HEADER + length, ops, keys, spans, out, o, state)
        if after < 0:
            status = DAMAGED
            break
        o = after
        p += HEADER + length
        rows += 1
    state[IN], state[OUT], state[ROWS] = p, o, rows
    return status


@entry(arg.READ_BYTES, arg.INT, arg.INT, arg.INT_TABLE, arg.INTS, arg.INTS, arg.BYTES, arg.INTS)
def transcode_row(data: Any, begin: Int, stop: Int, ops: Any, keys: Any, spans: Any, out: Any, state: Any) -> Int:
    """Transcode the one row `data[begin:stop]`, without a header; `MORE`, or `DAMAGED`."""
    after = _row(data, begin, stop, ops, keys, spans, out, state[OUT], state)
    if after < 0:
        return DAMAGED
    state[OUT] = after
    state[ROWS] += 1
    return MORE


@compiled
def _row(data: Any, p: Int, stop: Int, ops: Any, keys: Any, spans: Any, out: Any, o: Int, state: Any) -> Int:
    """Writes one image; the offset after it, or -1 with the column at fault in `state`."""
    columns = len(ops)
    nulls = p + 1
    p = nulls + ((columns + 9) >> 3)
    bits = o
    o += (columns + len(keys) + 7) >> 3
    state[COLUMN] = 0
    if p > stop:
        return -1
    for k in range(bits, o):
        store8(out, k, np.uint8(0))
    for c in range(columns):
        spans[c] = o
        if _is_null(data, nulls, c):
            _mark(out, bits, c)
            continue
        p, o = put_value(data, p, stop, ops, c, out, o)
        if p < 0:
            state[COLUMN] = c
            return -1
    spans[columns] = o
    if p != stop:
        state[COLUMN] = columns
        return -1
    for j in range(len(keys)):
        c = keys[j]
        if _is_null(data, nulls, c):
            _mark(out, bits, columns + j)
        size = spans[c + 1] - spans[c]
        copy_bytes(out, o, out, spans[c], size)
        o += size
    return o


@inlined
def _is_null(data: Any, nulls: Int, c: Int) -> Any:
    return (load8(data, nulls + ((c + 2) >> 3)) >> ((c + 2) & 7)) & 1 == 1


@inlined
def _mark(out: Any, bits: Int, c: Int) -> None:
    at = bits + (c >> 3)
    store8(out, at, np.uint8(load8(out, at) | np.uint8(1 << (c & 7))))
