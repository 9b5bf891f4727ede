# mypy: disable-error-code="untyped-decorator"
"""Keys as bytes: they distinguish rows, whatever a collation calls equal.

The vectors have a key's columns as they are stored or in an exact form, the same for selected rows and
for the log's row images; so equal bytes mean equal stored values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Kind, Vector
from tailrace.kernels import argument_types as arg
from tailrace.kernels.addresses import address_of
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.kernels.memory import copy_bytes, load8, load32, load64, store32, store64

PREFIX: Final = 4
_NUMBER: Final = 8
_NULL: Final = 0xFFFFFFFF  # in place of a length
_SHORT_VIEW: Final = 12  # bytes; Arrow stores shorter values inside the view
_NOTHING: Final = 0  # the address of no bitmap


def key_bytes(vectors: Sequence[Vector]) -> Binary:
    """One byte string per row from the vectors of its key, numbers and texts: each value after its length."""
    rows = vectors[0].length if vectors else 0
    offsets = np.zeros(rows + 1, np.int64)
    for vector in vectors:
        offsets[1:] += PREFIX + _sizes(vector)
    np.cumsum(offsets, out=offsets)
    data = np.empty(int(offsets[-1]), np.uint8)
    at = offsets[:-1].copy()
    for vector in vectors:
        _put(vector, data, at)
        at += PREFIX + _sizes(vector)
    return Binary(data, offsets)


def _sizes(vector: Vector) -> npt.NDArray[np.int64]:
    """Bytes of each value; 0 for a null."""
    sizes = np.full(vector.length, _NUMBER, np.int64)
    if vector.kind is not Kind.INT:
        sizes = vector.data[:, 0].astype(np.int64)
    return sizes if vector.valid is None else sizes * vector.is_valid()


def _put(vector: Vector, data: npt.NDArray[np.uint8], at: npt.NDArray[np.int64]) -> None:
    if not vector.length:
        return
    valid = _NOTHING if vector.valid is None else address_of(vector.valid)
    values = np.ascontiguousarray(vector.data)
    to, source = address_of(data), address_of(values)
    if vector.kind is Kind.INT:
        _put_numbers(to, at, source, valid)
        return
    _put_short(to, at, source, valid)
    for number, buffer in enumerate(vector.buffers):
        if len(buffer):
            _put_long(to, at, source, valid, address_of(buffer), number)


@entry(arg.INT, arg.INTS, arg.INT, arg.INT)
def _put_numbers(to: Int, at: Any, values: Int, valid: Int) -> None:
    for i in range(len(at)):
        if _is_null(valid, i):
            store32(to + at[i], np.uint32(_NULL))
        else:
            store32(to + at[i], np.uint32(_NUMBER))
            store64(to + at[i] + PREFIX, load64(values + 8 * i))


@entry(arg.INT, arg.INTS, arg.INT, arg.INT)
def _put_short(to: Int, at: Any, views: Int, valid: Int) -> None:
    """Write the lengths of all values, and the values that are inline in their views."""
    for i in range(len(at)):
        if _is_null(valid, i):
            store32(to + at[i], np.uint32(_NULL))
            continue
        n = np.int64(load32(views + 16 * i))
        store32(to + at[i], np.uint32(n))
        if n <= _SHORT_VIEW:
            copy_bytes(to + at[i] + PREFIX, views + 16 * i + 4, n)


@entry(arg.INT, arg.INTS, arg.INT, arg.INT, arg.INT, arg.INT)
def _put_long(to: Int, at: Any, views: Int, valid: Int, buffer: Int, number: Int) -> None:
    """Write the other values that are in one buffer."""
    for i in range(len(at)):
        n = np.int64(load32(views + 16 * i))
        if n > _SHORT_VIEW and np.int64(load32(views + 16 * i + 8)) == number and not _is_null(valid, i):
            copy_bytes(to + at[i] + PREFIX, buffer + np.int64(load32(views + 16 * i + 12)), n)


@inlined
def _is_null(valid: Int, i: Int) -> Any:
    return valid != 0 and (load8(valid + (i >> 3)) >> (i & 7)) & 1 == 0
