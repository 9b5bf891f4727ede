"""Whether two fields have the same value, for each record; as Java's `equals` sees it."""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np
import polars as pl

from tailrace.changes.field_paths import Path, gathered, is_null
from tailrace.changes.layouts import Column, Constant, Node, Struct
from tailrace.changes.source_records import Mask, Objects, SourceRecords
from tailrace.changes.vectors import Kind, Vector

_BITS: Final = "io.debezium.data.Bits"  # a byte array in Java, which equals nothing but itself


def are_equal(records: SourceRecords, one: Node, other: Node) -> Mask:
    """For which records two nodes of the same schema have equal values, or are both null; shape (n,)."""
    null, other_null = is_null(records, one), is_null(records, other)
    both = ~null & ~other_null
    equal: Mask = (null & other_null) | (both & _equal(records.where(both), one, other, both))
    return equal


def _equal(there: SourceRecords, one: Node, other: Node, both: Mask) -> Mask:
    """Likewise, of which neither is null; shape of `both`, and anything where that is False."""
    found = np.zeros(len(both), np.bool_)
    if len(there):
        found[both] = _equal_values(there, one, other)
    return found


def _equal_values(records: SourceRecords, one: Node, other: Node) -> Mask:
    if isinstance(one, Struct) and isinstance(other, Struct):
        parts = [are_equal(records, *pair) for pair in zip(one.fields, other.fields, strict=True)]
        return np.logical_and.reduce(parts) if parts else np.ones(len(records), np.bool_)
    if one.schema.name == _BITS:
        return np.zeros(len(records), np.bool_)
    if _is_plain(records, one) and _is_plain(records, other):
        return _equal_vectors(gathered(records, Path((one,))), gathered(records, Path((other,))))
    pairs = zip(_python_values(records, one), _python_values(records, other), strict=True)
    return np.array([a == b for a, b in pairs], np.bool_)


def _is_plain(records: SourceRecords, node: Node) -> bool:
    """Whether a node's values are one column."""
    if isinstance(node, Constant):
        return not isinstance(node.value, dict | list)
    column = records.columns[node.slot] if isinstance(node, Column) else None
    return isinstance(column, Vector) and column.kind is not Kind.LIST


def _equal_vectors(one: Vector, other: Vector) -> Mask:
    if one.kind in {Kind.TEXT, Kind.BYTES}:
        texts = [cast("pl.Series", pl.from_arrow(each.to_arrow())) for each in (one, other)]
        same: Mask = (texts[0] == texts[1]).to_numpy()
        return same
    if one.kind in {Kind.FLOAT32, Kind.FLOAT64}:  # by their bits: minus zero is not zero, and NaN is NaN
        bits = np.int32 if one.kind is Kind.FLOAT32 else np.int64
        equal: Mask = (one.data.view(bits) == other.data.view(bits)) | (np.isnan(one.data) & np.isnan(other.data))
        return equal
    numbers: Mask = one.data == other.data
    return numbers


def _python_values(records: SourceRecords, node: Node) -> list[Any]:
    """The values of a list or of Python's own, which are rare, one by one."""
    if isinstance(node, Constant):
        return [node.value] * len(records)
    if isinstance(node, Struct):
        raise TypeError("a struct has no values of its own")
    column, rows = records.columns[node.slot], records.roles[node.role]
    if isinstance(column, Objects):
        return [column.values[row] for row in rows]
    if isinstance(column, Vector):
        return cast("list[Any]", column.to_arrow().take(rows).to_pylist())
    raise TypeError(f"values of a {node.schema.type} can't be compared")
