"""Which golden lines are columns."""

from __future__ import annotations

from typing import Final

from tailrace.changes.column_of_values import KINDS
from tailrace.schema.connect import Schema, Type

_FRACTIONS: Final = (Type.FLOAT32, Type.FLOAT64)


def is_columnar(schema: Schema) -> bool:
    """Whether a column holds values of this schema: no maps, and no arrays but those of floating-point numbers."""
    if schema.type is Type.STRUCT:
        return all(is_columnar(each.schema) for each in schema.fields)
    if schema.type is Type.ARRAY:
        return schema.items is not None and schema.items.type in _FRACTIONS
    return schema.type in KINDS
