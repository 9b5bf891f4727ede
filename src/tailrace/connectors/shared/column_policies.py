"""How rules and custom converters change the values of a table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tailrace.changes.policies import Rule, policy_of
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
