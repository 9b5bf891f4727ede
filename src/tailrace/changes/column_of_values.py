"""Columns of single Python values, by the schema of their field: for few values, never on the way of the log.

The values are those of `schema/connect.py`'s types: text as `str`, bytes, numbers, a struct as a mapping by names, an array as
a sequence. The kinds are those that decoders give.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tailrace.changes.vectors import Bytes, Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.schema.connect import Schema, Type

KINDS: Final = {
    Type.INT8: Kind.INT,
    Type.INT16: Kind.INT,
    Type.INT32: Kind.INT,
    Type.INT64: Kind.INT,
    Type.BOOLEAN: Kind.BOOL,
    Type.FLOAT32: Kind.FLOAT32,
    Type.FLOAT64: Kind.FLOAT64,
    Type.STRING: Kind.TEXT,
    Type.BYTES: Kind.BYTES,
    Type.STRUCT: Kind.STRUCT,
    Type.ARRAY: Kind.LIST,
}
"""The kind of a column, by the type of its field's schema."""
_NUMBERS: Final = {Kind.INT: np.int64, Kind.BOOL: np.int64, Kind.FLOAT32: np.float32, Kind.FLOAT64: np.float64}


def column_of_values(schema: Schema, values: Sequence[Any]) -> Vector:
    """The values as a column; None is null. Raises `KeyError` for a schema that no column has."""
    kind = KINDS[schema.type]
    if kind is Kind.STRUCT:
        return _structs(schema, values)
    if kind is Kind.LIST and schema.items is not None:
        return _lists(schema.items, values)
    if kind is Kind.TEXT:
        return vector_of([None if value is None else value.encode() for value in values])
    if kind is Kind.BYTES:
        return vector_of(values, Kind.BYTES)
    data = np.array([0 if value is None else value for value in values], _NUMBERS[kind])
    return Vector(kind, len(data), data, _bitmap(values))


def _structs(schema: Schema, values: Sequence[Any]) -> Vector:
    parts = [column_of_values(each.schema, [(value or {}).get(each.name) for value in values]) for each in schema.fields]
    names = tuple(each.name for each in schema.fields)
    return Vector(Kind.STRUCT, len(values), np.empty(0, np.int64), _bitmap(values), (), tuple(parts), names)


def _lists(items: Schema, values: Sequence[Any]) -> Vector:
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value or ()) for value in values], out=offsets[1:])
    child = column_of_values(items, [item for value in values for item in value or ()])
    return Vector(Kind.LIST, len(values), offsets, _bitmap(values), (), (child,))


def _bitmap(values: Sequence[Any]) -> Bytes | None:
    if all(value is not None for value in values):
        return None
    return np.packbits([value is not None for value in values], bitorder="little")
