# mypy: disable-error-code="no-any-return, assignment"
"""ENUM and SET: numbers in the log, labels outside.

The views of all labels are made once, when the plan is compiled, so that an ENUM is a copy of 16 bytes.
`tables` holds them at `table`: the empty string (which MySQL stores for an invalid value, as 0) and then one
a label.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.connectors.mysql.rows.raw import little, offset_of
from tailrace.connectors.mysql.rows.scan import NEED
from tailrace.kernels.arrays import copy_bytes, load32, load64, put_null_view, put_view, store64
from tailrace.kernels.compiling import Int, compiled


@compiled
def enums(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    width: Int,
    tables: Any,
    table: Int,
    labels: Int,
    ao: Int,
) -> Int:
    """The label of each number; `ao`, or -2 - j where image j has a number without a label."""
    for j in range(k):
        o = offset_of(offsets, c, j)
        index = np.int64(0)
        if o >= 0:
            index = little(data, o, width)
            if index > labels:
                return -2 - j
        store64(mem, at + 16 * j, load64(tables, table + 16 * index))
        store64(mem, at + 16 * j + 8, load64(tables, table + 16 * index + 8))
    return ao


@compiled
def sets(
    data: Any,
    offsets: Any,
    c: Int,
    k: Int,
    mem: Any,
    at: Int,
    width: Int,
    tables: Any,
    table: Int,
    labels: Int,
    aux: Any,
    ao: Int,
    state: Any,
) -> Int:
    """The labels of each number's bits, commas between; the new end of `aux`, -1 if too small, or -2 - j."""
    longest = np.int64(0)
    for i in range(labels):
        longest += np.int64(load32(tables, table + 16 * (i + 1))) + 1
    for j in range(k):
        o = offset_of(offsets, c, j)
        if o < 0:
            put_null_view(mem, at + 16 * j)
            continue
        left = np.uint64(little(data, o, width))
        if ao + longest > len(aux):
            state[NEED] = longest
            return -1
        p = ao
        label = table + 16
        last = table + 16 * labels
        while left:
            if label > last:
                return -2 - j
            if left & np.uint64(1):
                if p > ao:
                    aux[p] = 44
                    p += 1
                n = np.int64(load32(tables, label))
                copy_bytes(aux, p, tables, label + 4 if n <= 12 else np.int64(load32(tables, label + 12)), n)
                p += n
            left >>= np.uint64(1)
            label += 16
        put_view(mem, at + 16 * j, aux, 1, ao, p - ao)
        if p - ao > 12:
            ao = p
    return ao
