# ruff: noqa: PLR1714, SIM109 -- compiled loops take what they need by position, and compare plainly
# mypy: disable-error-code="no-any-return, assignment"
"""The first pass over row events: where each column's value stands in each row image.

A row image is a bitmap of nulls and then the values that are there, one after the other, so that a value's
place depends on the length of all values before it. This pass finds the places for some thousand images and
proves that every value lies within its event; the second pass (`columns.py`) then reads one column at a time,
with one tight loop for its type. Both passes over so many images stay within the processor's cache.

Source of the format: MySQL source documentation, `binary_log::Rows_event` (its class comment has the whole
layout) and `Partial_update_rows_event`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tailrace.connectors.mysql.rows.raw import STRIDE, little, mark, offset_of
from tailrace.kernels.arrays import load8, load16, store8, store32
from tailrace.kernels.compiling import Int, compiled, inlined

CHUNK: Final = 1024
"""Images a chunk: their offsets for a dozen columns fit the first-level cache."""
CHUNK_BYTES: Final = 4 << 20
"""A chunk also ends after so many bytes of the log, so that made text stays small for long values."""
NULL: Final = -1
MISSING: Final = -2
"""The offsets that mean a null and a value that the event does not have."""
SOME_NULL: Final = 1
SOME_MISSING: Final = 2

# What `state` holds between calls of the compiled code.
EVENT, OFFSET, ROW, CHANGES, IMAGES, AUX, SCANNED, COLUMN, NEED, WHERE, UNFIT, STATE_SIZE = range(12)

# How a pass ended. The first two are not errors.
MORE, DONE, NEEDS_AUX, WRONG_WIDTH, TRUNCATED, EMPTY_IMAGE, UNKNOWN_TYPE, BAD_VALUE, RARE = range(9)

# Where in the block of results the columns `before`, `after`, `event`, `row` and `op` begin.
BEFORE, AFTER, EVENTS, ROWS, OPS, PLACES = range(6)

# Row events, Log_event_type of MySQL.
WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, DELETE, PARTIAL_UPDATE = 23, 24, 25, 30, 31, 32, 39
_CREATED, _UPDATED, _DELETED = (ord(c) for c in "cud")


@compiled
def scan(
    data: Any,
    body: Any,
    end: Any,
    types: Any,
    widths: Any,
    diffs: Any,
    mem: Any,
    places: Any,
    bitmaps: Any,
    marks: Any,
    size: Int,
    limit: Int,
    offsets: Any,
    holes: Any,
    state: Any,
) -> Int:
    """Fills `offsets` with up to `CHUNK` images and writes the changes they belong to; returns how it ended.

    `widths[c]` is the number of bytes of a column's values, or minus the number of bytes of their length
    prefix. `diffs[c]` is the bitmap of the values of a JSON column that are differences (-1 for any other
    column). `holes[c]` becomes what the column lacks in this chunk: `SOME_NULL`, `SOME_MISSING` or both.
    """
    columns = len(widths)
    event, o, row = state[EVENT], state[OFFSET], state[ROW]
    n, first, j = state[CHANGES], state[IMAGES], np.int64(0)
    status = DONE
    started = np.int64(0)
    holes[:] = 0
    while event < len(body):
        stop = end[event]
        state[WHERE] = event
        if body[event] < 0 or stop > len(data):
            return TRUNCATED
        type_ = types[event]
        two = type_ == UPDATE or type_ == UPDATE_V1 or type_ == PARTIAL_UPDATE
        if not (two or type_ == WRITE or type_ == DELETE or type_ == WRITE_V1 or type_ == DELETE_V1):
            return UNKNOWN_TYPE
        there, width = _columns(data, body[event], stop, type_ >= WRITE)
        if there < 0:
            return TRUNCATED
        if width != columns:
            return WRONG_WIDTH
        there_after = there + ((columns + 7) >> 3) if two else there
        begin = there_after + ((columns + 7) >> 3)
        if begin > stop:
            return TRUNCATED
        present = _ones(data, there, columns)
        present_after = _ones(data, there_after, columns) if two else present
        if o == 0:
            o = begin
        elif o < begin or o > stop:
            return TRUNCATED
        each = 2 if two else 1
        deleted = type_ == DELETE or type_ == DELETE_V1
        back, ahead = (2 if two else (1 if deleted else 0)), (0 if deleted else 1)
        op = _UPDATED if two else (_DELETED if deleted else _CREATED)
        if j == 0:
            started = o
        # An insert that names no column, logged with binlog_row_image=MINIMAL, is a row of no bytes.
        while o < stop or (row == 0 and present + present_after == 0):
            full = j + each > CHUNK or first + j + each > limit
            if full or (j > 0 and (o - started > CHUNK_BYTES or o < started)):
                status = MORE
                break
            before = o
            o = _image(data, o, stop, there, present, widths, offsets, holes, j)
            j += 1
            if two and o >= 0:
                if type_ == PARTIAL_UPDATE:
                    o = _partial_image(
                        data,
                        o,
                        stop,
                        there_after,
                        present_after,
                        widths,
                        offsets,
                        holes,
                        j,
                        diffs,
                        mem,
                        bitmaps,
                        marks,
                        size,
                        first + j,
                    )
                else:
                    o = _image(data, o, stop, there_after, present_after, widths, offsets, holes, j)
                j += 1
            if o < 0:
                return TRUNCATED
            if o == before and stop > o:
                return EMPTY_IMAGE
            _write_change(mem, places, n, first + j, event, row, back, ahead, op)
            n += 1
            row += 1
        if status == MORE:
            break
        event += 1
        o = 0
        row = 0
    state[EVENT], state[OFFSET], state[ROW] = event, o, row
    state[CHANGES], state[SCANNED] = n, j
    return status


@compiled
def mark_holes(
    offsets: Any, c: Int, k: Int, mem: Any, bitmaps: Any, marks: Any, first: Int, size: Int, columns: Int
) -> None:
    """Marks the nulls of one column of a chunk in its bitmaps, and the values that the images lack."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            mark(mem, bitmaps[c], marks, c, first + j, size, 0)
            if o == MISSING:
                mark(mem, bitmaps[columns + c], marks, columns + c, first + j, size, 1)


@inlined
def _columns(data: Any, o: Int, stop: Int, second: bool) -> Any:
    """Where the column bitmaps of an event begin, and how many columns it has; (-1, 0) if it is cut off."""
    o += 8
    if second:
        if o + 2 > stop:
            return -1, 0
        o += np.int64(load16(data, o))
    if o + 1 > stop:
        return -1, 0
    width = np.int64(load8(data, o))
    o += 1
    if width == 252:
        if o + 2 > stop:
            return -1, 0
        width = np.int64(load16(data, o))
        o += 2
    elif width > 250:
        return -1, 0
    return o, width


@inlined
def _ones(data: Any, o: Int, columns: Int) -> Int:
    """How many of the first `columns` bits are set."""
    count = 0
    whole = columns >> 3
    for k in range(whole):
        byte = load8(data, o + k)
        if byte == 0xFF:
            count += 8
        else:
            for bit in range(8):
                count += (byte >> bit) & 1
    for c in range(whole << 3, columns):
        count += (load8(data, o + (c >> 3)) >> (c & 7)) & 1
    return count


@inlined
def _image(
    data: Any, o: Int, stop: Int, there: Int, present: Int, widths: Any, offsets: Any, holes: Any, j: Int
) -> Int:
    """Finds the values of one image; the offset after it, or -1 if it exceeds its event."""
    nulls = o
    o += (present + 7) >> 3
    if o > stop:
        return -1
    if present == len(widths):
        any_null = np.uint8(0)
        for k in range(nulls, o):
            any_null |= load8(data, k)
        if any_null == 0:
            return _whole_image(data, o, stop, widths, offsets, j)
    return _image_with_holes(data, nulls, o, stop, there, widths, offsets, holes, j)


@compiled
def _image_with_holes(
    data: Any, nulls: Int, o: Int, stop: Int, there: Int, widths: Any, offsets: Any, holes: Any, j: Int
) -> Int:
    """The same for an image with nulls, or one that lacks columns."""
    seen = 0
    for c in range(len(widths)):
        if (load8(data, there + (c >> 3)) >> (c & 7)) & 1 == 0:
            holes[c] |= SOME_MISSING
            store32(offsets, c * STRIDE + 4 * j, np.uint32(MISSING & 0xFFFFFFFF))
            continue
        is_null = (load8(data, nulls + (seen >> 3)) >> (seen & 7)) & 1 == 1
        seen += 1
        if is_null:
            holes[c] |= SOME_NULL
            store32(offsets, c * STRIDE + 4 * j, np.uint32(NULL & 0xFFFFFFFF))
            continue
        store32(offsets, c * STRIDE + 4 * j, np.uint32(o))
        width = widths[c]
        if width >= 0:
            o += width
        elif o - width > stop:
            return -1
        else:
            o += little(data, o, -width) - width
    return o if o <= stop else -1


@compiled
def _partial_image(
    data: Any,
    o: Int,
    stop: Int,
    there: Int,
    present: Int,
    widths: Any,
    offsets: Any,
    holes: Any,
    j: Int,
    diffs: Any,
    mem: Any,
    bitmaps: Any,
    marks: Any,
    size: Int,
    i: Int,
) -> Int:
    """Finds the values of an after image of a partial update, and marks those that are differences of JSON.

    Value options come first, and with them a bit for each JSON column of the table.
    """
    if o + 1 > stop or load8(data, o) > 1:
        return -1
    partial = load8(data, o) == 1
    o += 1
    if partial:
        at = o
        seen = 0
        for c in range(len(diffs)):
            if diffs[c] >= 0:
                if at + (seen >> 3) < stop and (load8(data, at + (seen >> 3)) >> (seen & 7)) & 1:
                    mark(mem, bitmaps[diffs[c]], marks, diffs[c], i, size, 1)
                seen += 1
        o += (seen + 7) >> 3
    return _image(data, o, stop, there, present, widths, offsets, holes, j)


@inlined
def _whole_image(data: Any, o: Int, stop: Int, widths: Any, offsets: Any, j: Int) -> Int:
    """The same for an image that has every column and no null."""
    for c in range(len(widths)):
        store32(offsets, c * STRIDE + 4 * j, np.uint32(o))
        width = widths[c]
        if width >= 0:
            o += width
        elif o - width > stop:
            return -1
        elif width == -1:
            o += 1 + np.int64(load8(data, o))
        elif width == -2:
            o += 2 + np.int64(load16(data, o))
        else:
            o += little(data, o, -width) - width
    return o if o <= stop else -1


@inlined
def _write_change(
    mem: Any, places: Any, n: Int, images: Int, event: Int, row: Int, before: Int, after: Int, op: Int
) -> None:
    """Writes which images a change has; `images` counts them up to and with this change."""
    store32(mem, places[BEFORE] + 4 * n, np.uint32((images - before if before else -1) & 0xFFFFFFFF))
    store32(mem, places[AFTER] + 4 * n, np.uint32((images - after if after else -1) & 0xFFFFFFFF))
    store32(mem, places[EVENTS] + 4 * n, np.uint32(event))
    store32(mem, places[ROWS] + 4 * n, np.uint32(row))
    store8(mem, places[OPS] + n, np.uint8(op))
