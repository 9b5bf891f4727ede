"""One value in place of others: of a placeholder, or of a null where there may be none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Kind, Vector
from tailrace.changes.views import vector_of
from tailrace.connectors.shared.column_types import DECIMAL
from tailrace.schema.connect import NO_DEFAULT, Schema, Type

_TEXTS: Final = {
    "io.debezium.time.IsoDate": "1970-01-01Z",
    "io.debezium.time.IsoTime": "00:00:00Z",
    "io.debezium.time.IsoTimestamp": "1970-01-01T00:00:00Z",
    "io.debezium.time.ZonedTimestamp": "1970-01-01T00:00:00Z",
}


def filled(vector: Vector, schema: Schema) -> Vector:
    """Nulls replaced by the default of the field, or by zero where it has none."""
    rows = ~vector.is_valid()
    return replace(with_value(vector, rows, _fallback(schema)), valid=None)


def with_value(vector: Vector, rows: npt.NDArray[np.bool_], value: Any) -> Vector:
    """The same value in some rows (shape (length,)): text, bytes, a number or a truth value, as the vector's kind is."""
    data = vector.data.copy()
    buffers = vector.buffers
    if vector.kind in (Kind.TEXT, Kind.BYTES):
        one = vector_of([value.encode() if isinstance(value, str) else bytes(value)])
        view = one.data[0].copy()
        if one.buffers:
            view[2] = len(buffers)
            buffers = (*buffers, *one.buffers)
        data[rows] = view
    else:
        data[rows] = value
    valid = None if vector.valid is None else np.packbits(vector.is_valid() | rows, bitorder="little")
    return replace(vector, data=data, buffers=buffers, valid=valid)


def _fallback(schema: Schema) -> Any:
    if schema.default is not NO_DEFAULT:
        return schema.default
    if schema.type is Type.STRING:
        return _TEXTS.get(schema.name or "", "")
    if schema.type is Type.BYTES:
        return b"\0" if schema.name == DECIMAL else b""
    return 0
