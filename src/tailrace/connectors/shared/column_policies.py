"""How rules and custom converters change the values of a table's columns, and empty columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from tailrace.changes.policies import Rule, policy_of
from tailrace.changes.vectors import Kind, Vector
from tailrace.connectors.shared.column_types import NUMBERS_AS_BYTES
from tailrace.connectors.shared.jdbc import TEXT_TYPES
from tailrace.events.shape import ColumnPolicy
from tailrace.schema.connect import Schema, Type
from tailrace.schema.tables import Column, Table


class Typed(Protocol):
    """The part of a column's type that rules need."""

    @property
    def value(self) -> Schema:
        """The schema of its field in a value."""
        ...

    @property
    def rule(self) -> Rule:
        """The rule that changes its values or their schema."""
        ...

    @property
    def conversion(self) -> ColumnPolicy | None:
        """What its custom converter does; None without one."""
        ...


def column_policies(table: Table, types: Sequence[Typed | None], values: Sequence[int]) -> dict[int, ColumnPolicy]:
    """The policies of the columns with these indices, which make up the value; columns without one are left out."""
    found = {i: _policy(table.columns[i], types[i]) for i in values}
    return {i: policy for i, policy in found.items() if policy is not None}


def column_conversions(types: Sequence[Typed | None]) -> dict[int, ColumnPolicy]:
    """What the custom converters do, by the indices of the columns that have one."""
    return {i: type_.conversion for i, type_ in enumerate(types) if type_ is not None and type_.conversion is not None}


def _policy(column: Column, type_: Typed | None) -> ColumnPolicy | None:
    if type_ is None:
        return None
    schema = type_.value
    # A Decimal or Bits field is bytes in Connect's schema, but a truncated number would be a different number.
    may_be_cut = schema.type in (Type.STRING, Type.BYTES) and schema.name not in NUMBERS_AS_BYTES
    is_text = column.jdbc_type in TEXT_TYPES
    return policy_of(type_.rule, is_text=is_text, length=column.length, may_be_cut=may_be_cut)


def empty_vector(schema: Schema) -> Vector:
    """An empty vector for a field of this schema."""
    kind = _KINDS.get(schema.type, Kind.INT)
    if kind is Kind.STRUCT:
        children = tuple(empty_vector(field.schema) for field in schema.fields)
        return Vector(kind, 0, np.empty(0, np.int64), None, (), children, tuple(f.name for f in schema.fields))
    if kind is Kind.LIST and schema.items is not None:
        return Vector(kind, 0, np.zeros(1, np.int64), None, (), (empty_vector(schema.items),))
    dtype = {Kind.FLOAT32: np.float32, Kind.FLOAT64: np.float64}.get(kind, np.int64)
    data = np.empty((0, 4), np.uint32) if kind in (Kind.TEXT, Kind.BYTES) else np.empty(0, dtype)
    return Vector(kind, 0, data)


_KINDS: Final = {
    Type.FLOAT32: Kind.FLOAT32,
    Type.FLOAT64: Kind.FLOAT64,
    Type.BOOLEAN: Kind.BOOL,
    Type.STRING: Kind.TEXT,
    Type.BYTES: Kind.BYTES,
    Type.STRUCT: Kind.STRUCT,
    Type.ARRAY: Kind.LIST,
}
