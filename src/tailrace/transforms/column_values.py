"""The values of fields for transforms that convert them: of columns, constants and Python values alike."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Final

import numpy as np
import pyarrow as pa

from tailrace.changes.field_paths import Path, gathered, is_null
from tailrace.changes.layouts import Column, Constant, Node, Values
from tailrace.changes.source_records import Objects, SourceRecords
from tailrace.changes.vectors import Vector, from_arrow
from tailrace.changes.views import take
from tailrace.schema.connect import Schema, Type

_TYPES: Final = {
    Type.INT8: pa.int64(),
    Type.INT16: pa.int64(),
    Type.INT32: pa.int64(),
    Type.INT64: pa.int64(),
    Type.FLOAT32: pa.float32(),
    Type.FLOAT64: pa.float64(),
    Type.BOOLEAN: pa.bool_(),
    Type.STRING: pa.string_view(),
    Type.BYTES: pa.binary_view(),
}
_EXACT: Final = Context(prec=200)


def has_column(node: Node) -> bool:
    """Whether a field's values can be had as a column: it is no struct, no list and no map."""
    return isinstance(node, Column | Constant | Values) and node.schema.type in _TYPES


def column_of(records: SourceRecords, node: Node) -> Vector:
    """The values of a field for which `has_column` is true, one for each record."""
    if not isinstance(node, Values):
        return gathered(records, Path((node,)))
    column, rows = records.columns[node.slot], records.roles[node.role]
    values = column.values if isinstance(column, Objects) else ()
    vector = take(from_arrow(pa.array(values or [None], _TYPES[node.schema.type])), np.maximum(rows, 0))
    vector.valid = np.packbits(~is_null(records, node), bitorder="little")
    return vector


def decimals_of(vector: Vector, scale: int) -> list[Decimal | None]:
    """The decimals of a column of their unscaled values' bytes; row by row, as no column holds such large numbers."""
    unscaled = [None if each is None else int.from_bytes(each, "big", signed=True) for each in vector.to_arrow().to_pylist()]
    return [None if each is None else Decimal(each).scaleb(-scale, _EXACT) for each in unscaled]


def plain_schema(type_: Type, *, optional: bool) -> Schema:
    """A schema that has only a type."""
    return Schema(type_, optional=optional)
