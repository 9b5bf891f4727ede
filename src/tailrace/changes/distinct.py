# mypy: disable-error-code="no-any-return, arg-type, return-value"
"""The distinct texts of a column, found with one compiled loop over its views."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.address_table import address_table
from tailrace.changes.addressed_kernel import is_null
from tailrace.changes.vectors import Vector
from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import load32, load64

INT64 = npt.NDArray[np.int64]

_INLINE: Final = 12  # Arrow: a view of up to 12 bytes contains the text itself
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_NULL_HASH: Final = np.uint64(0)


def distinct_texts(vector: Vector) -> tuple[INT64, INT64]:
    """The rows where the distinct texts stand first, in their order, and which of them each row has, shape (n,).

    Nulls are one of them.
    """
    n = vector.length
    table, kept = address_table([vector])
    places = np.full(1 << (2 * n + 1).bit_length(), -1, np.int32)
    firsts, codes = np.empty(n, np.int64), np.empty(n, np.int64)
    count = _code(table, places, firsts, codes)
    del kept  # the table has addresses in it
    return firsts[:count], codes


@inlined
def _bytes_of(table: Any, row: Int) -> Int:
    """The address of a text that is longer than its view."""
    view = table[0, 0] + 16 * row
    return np.int64(load64(table[0, 2] + 8 * np.int64(load32(view + 8)))) + np.int64(load32(view + 12))


@inlined
def _mixed(found: Any, word: Any) -> Any:
    found = (found ^ word) * _FACTOR
    return found ^ (found >> np.uint64(29))


@inlined
def _hash(table: Any, row: Int) -> Any:
    if is_null(table, 0, row):
        return _NULL_HASH
    view = table[0, 0] + 16 * row
    found = _mixed(_FACTOR, load64(view))
    length = np.int64(load32(view))
    if length <= _INLINE:
        return _mixed(found, load64(view + 8))
    source = _bytes_of(table, row)
    for k in range(4, length - 7, 8):
        found = _mixed(found, load64(source + k))
    return _mixed(found, load64(source + length - 8))


@inlined
def _are_same(table: Any, a: Int, b: Int) -> bool:
    null = is_null(table, 0, a)
    if null or is_null(table, 0, b):
        return bool(null == is_null(table, 0, b))
    left = table[0, 0] + 16 * a
    right = table[0, 0] + 16 * b
    if load64(left) != load64(right):  # length and first bytes
        return False
    length = np.int64(load32(left))
    if length <= _INLINE:
        return bool(load64(left + 8) == load64(right + 8))
    left = _bytes_of(table, a)
    right = _bytes_of(table, b)
    for k in range(4, length - 7, 8):
        if load64(left + k) != load64(right + k):
            return False
    return bool(load64(left + length - 8) == load64(right + length - 8))


@entry(arg.INT_TABLE, arg.INT32S, arg.INTS, arg.INTS)
def _code(table: Any, places: Any, firsts: Any, codes: Any) -> Int:
    """Fill `firsts` and `codes`; `places` is an open hash table, -1 where it is free, at least twice as large as the rows."""
    mask = len(places) - 1
    count = 0
    for i in range(len(codes)):
        at = np.int64(_hash(table, i) & np.uint64(mask))
        while places[at] >= 0 and not _are_same(table, firsts[places[at]], i):
            at = (at + 1) & mask
        if places[at] < 0:
            places[at] = count
            firsts[count] = i
            count += 1
        codes[i] = places[at]
    return count
