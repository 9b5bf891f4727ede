# mypy: disable-error-code="no-any-return, assignment"
"""Geometries: an SRID of four bytes, then WKB; and vectors of floats.

The WKB in the log has longitude before latitude whatever the SRID says, and comes out so. An SRID of 0 stands
for none. Source: MySQL manual, "Internal Geometry Storage Format"; OGC 06-103r4, "Well-known Binary
Representation".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.connectors.mysql.rows.raw import little, mark, offset_of
from tailrace.kernels import argument_types as arg
from tailrace.kernels.arrays import (
    copy_bytes,
    load32,
    load64,
    put_null_view,
    put_view,
    store64,
    swap64,
)
from tailrace.kernels.compiling import Int, compiled, entry

_POINT_BYTES = 21


@compiled
def geometries(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Any,
    slot: Int,
    prefix: Int,
    point: bool,
    bitmap: Int,
    marks: Any,
    which: Int,
    first: Int,
    size: Int,
    ao: Int,
) -> Int:
    """Fills the slots wkb and srid, and x and y of a point; `ao`, or -2 - j where image j has no geometry."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        i = first + j
        srid = np.int64(0)
        x = np.uint64(0)
        y = np.uint64(0)
        if o < 0:
            put_null_view(mem, at[slot] + 16 * i)
        else:
            n = little(data, o, prefix) - 4
            o += prefix
            if n < 5 or (point and n != _POINT_BYTES):
                return -2 - j
            srid = np.int64(np.int32(load32(data, o)))
            put_view(mem, at[slot] + 16 * i, data, 0, o + 4, n)
            if point:
                x, y = load64(data, o + 9), load64(data, o + 17)
                if data[o + 4] == 0:
                    x, y = swap64(x), swap64(y)
        if srid == 0:
            mark(mem, bitmap, marks, which, i, size, 0)
        store64(mem, at[slot + 1] + 8 * i, np.uint64(srid))
        if point:
            store64(mem, at[slot + 2] + 8 * i, x)
            store64(mem, at[slot + 3] + 8 * i, y)
    return ao


@entry(arg.READ_BYTES, arg.BYTES, arg.INTS, arg.BYTES)
def gather_floats(data: Any, views: Any, starts: Any, floats: Any) -> Int:
    """Copies the floats that views of `data` show one after the other; -1, or a value with part of a number.

    With empty `floats`, only fills `starts`.
    """
    total = np.int64(0)
    for i in range(len(starts) - 1):
        starts[i] = total
        n = np.int64(load32(views, 16 * i))
        if n & 3:
            return i
        if len(floats) > 0 and n > 12:
            copy_bytes(floats, 4 * total, data, np.int64(load32(views, 16 * i + 12)), n)
        elif len(floats) > 0:
            copy_bytes(floats, 4 * total, views, 16 * i + 4, n)
        total += n >> 2
    starts[len(starts) - 1] = total
    return -1
