# mypy: disable-error-code="no-any-return, arg-type, return-value, assignment"
"""Takes byte strings out of columns, in any order, with one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.kernels import argument_types as arg
from tailrace.kernels.addresses import address_of
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import copy_bytes, load8, load64

# The fields of a column in the table: addresses (0: no nulls), and the number of strings in the columns before it.
_DATA, _OFFSETS, _VALID, _FIRST = range(4)
_ROOM: Final = 1  # an array of nothing has no address


def taken(columns: Sequence[Binary], order: npt.NDArray[np.integer[Any]]) -> Binary:
    """The strings of several columns, concatenated and then taken in the given order."""
    firsts = np.cumsum([0, *map(len, columns[:-1])])
    kept = [(np.ascontiguousarray(each.data), np.ascontiguousarray(each.offsets, np.int64)) for each in columns]
    masks = [None if each.valid is None else np.ascontiguousarray(each.valid).view(np.uint8) for each in columns]
    table = np.array(
        [
            (address_of(data) if len(data) else 0, address_of(offsets), 0 if mask is None else address_of(mask), first)
            for (data, offsets), mask, first in zip(kept, masks, firsts, strict=True)
        ],
        np.int64,
    )
    wanted = np.ascontiguousarray(order, np.int64)
    offsets, valid = np.zeros(len(wanted) + 1, np.int64), np.ones(len(wanted), np.bool_)
    nulls = _measure(table, wanted, offsets, valid.view(np.uint8))
    data = np.empty(int(offsets[-1]) + _ROOM, np.uint8)
    _copy(table, wanted, offsets, address_of(data))
    return Binary(data[: offsets[-1]], offsets, valid if nulls else None)


@inlined
def _column_of(table: Any, row: Int) -> Int:
    """The last column that begins at a row or before it; empty ones in between are passed over."""
    low = 0
    high = len(table)
    while high - low > 1:
        middle = (low + high) >> 1
        if table[middle, _FIRST] <= row:
            low = middle
        else:
            high = middle
    return low


@entry(arg.INT_TABLE, arg.READ_INTS, arg.INTS, arg.BYTES)
def _measure(table: Any, order: Any, offsets: Any, valid: Any) -> Int:
    """Fill offsets and validity of the result; returns how many are null."""
    nulls = 0
    o = 0
    for i in range(len(order)):
        column = _column_of(table, order[i])
        row = order[i] - table[column, _FIRST]
        if table[column, _VALID] != 0 and load8(table[column, _VALID] + row) == 0:
            valid[i] = 0
            nulls += 1
        else:
            place = table[column, _OFFSETS] + 8 * row
            o += np.int64(load64(place + 8)) - np.int64(load64(place))
        offsets[i + 1] = o
    return nulls


@entry(arg.INT_TABLE, arg.READ_INTS, arg.READ_INTS, arg.INT)
def _copy(table: Any, order: Any, offsets: Any, out: Int) -> None:
    for i in range(len(order)):
        column = _column_of(table, order[i])
        place = table[column, _OFFSETS] + 8 * (order[i] - table[column, _FIRST])
        copy_bytes(out + offsets[i], table[column, _DATA] + np.int64(load64(place)), offsets[i + 1] - offsets[i])
