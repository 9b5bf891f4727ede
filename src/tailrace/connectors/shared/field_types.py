"""The types of a table's columns that have a field in events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from tailrace.connectors.shared.column_policies import Typed
from tailrace.schema.connect import Schema
from tailrace.schema.tables import Table


class FieldType(Typed, Protocol):
    """The type of a column with a field in events."""

    @property
    def key(self) -> Schema:
        """The schema of its field in a key."""
        ...


TypeT = TypeVar("TypeT", bound=FieldType)


def with_fields(table: Table, types: Sequence[TypeT | None]) -> tuple[Table, tuple[TypeT, ...]]:
    """A table without columns that have no type, and the types of the others."""
    kept = [(column, type_) for column, type_ in zip(table.columns, types, strict=True) if type_ is not None]
    columns = tuple(column for column, _ in kept)
    return replace(table, columns=columns), tuple(type_ for _, type_ in kept)
