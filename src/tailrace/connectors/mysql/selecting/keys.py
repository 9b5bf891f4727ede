"""Keys as bytes: what tells rows apart, whatever a collation calls equal.

A key's columns are read as they are stored: numbers, times and bits as the number that their bytes are, texts as
bytes in their own character set, decimals as unscaled numbers. Selected rows and the log's row images hold the same
bytes for the same stored value, so both are read with the same plans here, and give the same bytes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.records import Binary
from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.connectors.mysql.plan import ColumnPlan, Out, Wire
from tailrace.connectors.mysql.rows.compiled import Int, entry, inlined
from tailrace.connectors.mysql.rows.layout import width_of
from tailrace.connectors.mysql.rows.raw import copy_bytes, load8, load32, load64, store32, store64
from tailrace.errors import UnsupportedError

PREFIX: Final = 4
_NUMBER: Final = 8
_NULL: Final = 0xFFFFFFFF  # in place of a length
_SHORT_VIEW: Final = 12
_NUMBERS: Final = frozenset({Wire.INT, Wire.YEAR, Wire.ENUM, Wire.SET, Wire.BIT})
_AS_NUMBERS: Final = frozenset({Wire.FLOAT, Wire.DOUBLE, Wire.DATE, Wire.TIME2, Wire.DATETIME2, Wire.TIMESTAMP2})
_NOTHING: Final = np.empty(0, np.uint8)


def raw_key_plan(plan: ColumnPlan) -> ColumnPlan:
    """The plan that shows the same column's values as they are stored.

    Raises:
        UnsupportedError: values of its type can't be told apart so.

    """
    if plan.wire in _NUMBERS:
        return replace(plan, out=Out.INT, emit=True)
    if plan.wire in _AS_NUMBERS:  # impossible dates, too, remain what they are
        return ColumnPlan(Wire.INT, width_of(plan), Out.INT, unsigned=True)
    if plan.wire is Wire.DECIMAL:
        return replace(plan, out=Out.UNSCALED, emit=True)
    if plan.wire is Wire.STRING:
        return ColumnPlan(Wire.STRING, plan.meta, Out.BYTES, pad=plan.pad)
    raise UnsupportedError(
        f"a value that is stored as {plan.wire.name} can't be part of a key: exclude the table "
        "(table.exclude.list), or where it is a time from before MySQL 5.6.4 run ALTER TABLE ... FORCE"
    )


def raw_key_plans(plans: Sequence[ColumnPlan], key: Collection[int]) -> list[ColumnPlan]:
    """Plans for a decoder of the log's row events that shows the key's columns raw, and no others.

    Args:
        plans: of all columns, as the log has them.
        key: indices of the key's columns; their vectors come out at these places.

    Raises:
        UnsupportedError: as from `raw_key_plan`.

    """
    return [raw_key_plan(plan) if i in key else replace(plan, emit=False) for i, plan in enumerate(plans)]


def key_bytes(vectors: Sequence[Vector]) -> Binary:
    """One byte string a row from the raw vectors of its key: each value with its length before it.

    Equal bytes mean equal stored values, if the plans that the vectors come from are of the same columns.
    """
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


def _put(vector: Vector, data: Bytes, at: npt.NDArray[np.int64]) -> None:
    valid = _NOTHING if vector.valid is None else vector.valid
    values = np.ascontiguousarray(vector.data).reshape(-1).view(np.uint8)
    if vector.kind is Kind.INT:
        _put_numbers(data, at, values, valid)
        return
    _put_short(data, at, values, valid)
    for number, buffer in enumerate(vector.buffers):
        if len(buffer):
            _put_long(data, at, values, valid, buffer, number)


@entry
def _put_numbers(data: Any, at: Any, values: Any, valid: Any) -> None:
    for i in range(len(at)):
        if _is_null(valid, i):
            store32(data, at[i], np.uint32(_NULL))
        else:
            store32(data, at[i], np.uint32(_NUMBER))
            store64(data, at[i] + PREFIX, load64(values, 8 * i))


@entry
def _put_short(data: Any, at: Any, views: Any, valid: Any) -> None:
    """The lengths of all values, and those values that stand in their views."""
    for i in range(len(at)):
        if _is_null(valid, i):
            store32(data, at[i], np.uint32(_NULL))
            continue
        n = np.int64(load32(views, 16 * i))
        store32(data, at[i], np.uint32(n))
        if n <= _SHORT_VIEW:
            copy_bytes(data, at[i] + PREFIX, views, 16 * i + 4, n)


@entry
def _put_long(data: Any, at: Any, views: Any, valid: Any, buffer: Any, number: Int) -> None:
    """The other values, of those that stand in one buffer."""
    for i in range(len(at)):
        n = np.int64(load32(views, 16 * i))
        if n > _SHORT_VIEW and np.int64(load32(views, 16 * i + 8)) == number and not _is_null(valid, i):
            copy_bytes(data, at[i] + PREFIX, buffer, np.int64(load32(views, 16 * i + 12)), n)


@inlined
def _is_null(valid: Any, i: Int) -> Any:
    return len(valid) > 0 and (load8(valid, i >> 3) >> (i & 7)) & 1 == 0
