"""Replaces values: by a placeholder, or nulls by a fallback."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.connectors.shared.column_types import DECIMAL
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

_WITHIN: Final = 12  # bytes that fit into a view; a longer one has the index of its buffer instead
_TEXTS: Final = {
    "io.debezium.time.IsoDate": "1970-01-01Z",
    "io.debezium.time.IsoTime": "00:00:00Z",
    "io.debezium.time.IsoTimestamp": "1970-01-01T00:00:00Z",
    "io.debezium.time.ZonedTimestamp": "1970-01-01T00:00:00Z",
}


def filled(vector: Vector, fallback: Any) -> Vector:
    """The vector with its nulls replaced by a value."""
    return replace(with_value(vector, ~vector.is_valid(), fallback), valid=None)


def with_value(vector: Vector, rows: npt.NDArray[np.bool_], value: Any) -> Vector:
    """The vector with one value in some rows (shape (length,)); the value has the type of the vector's kind."""
    data = vector.data.copy()
    buffers = vector.buffers
    if vector.kind in (Kind.TEXT, Kind.BYTES):
        one = vector_of([value.encode() if isinstance(value, str) else bytes(value)])
        view = one.data[0].copy()
        if view[0] > _WITHIN:
            view[2] = len(buffers)
            buffers = (*buffers, *one.buffers)
        data[rows] = view
    else:
        data[rows] = value
    valid = None if vector.valid is None else np.packbits(vector.is_valid() | rows, bitorder="little")
    return replace(vector, data=data, buffers=buffers, valid=valid)


def fallback_of(schema: Schema, digits: int | None = None) -> Any:
    """The value that replaces a null in a required field: its default, or a zero if it has none.

    Args:
        schema: of the field.
        digits: the scale of a decimal; None for other types.

    Source: what Debezium 3.6's JDBC value converters return for a null of a required column, in each handling mode.

    """
    if schema.default is not NO_DEFAULT:
        return schema.default
    if schema.type is Type.STRING:
        return _TEXTS.get(schema.name or "", "") if digits is None else f"{Decimal(0).scaleb(-digits):f}"
    if schema.type is Type.BYTES:
        return b"\0" if schema.name == DECIMAL else b""
    return 0
