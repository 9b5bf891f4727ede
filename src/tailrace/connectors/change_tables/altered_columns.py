"""Captured columns that were altered while their capture instance lives.

The type of a change table's rows is the change table's own, at any time: the source table may be ahead of it, where capture
alters the change table when it comes to the statement. A column that may be NULL from now on may be so at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tailrace.schema.tables import Column, Table

Types = Mapping[str, Column]
"""By name of a column: the type that it has in a change table."""


def as_captured(table: Table, types: Types) -> Table:
    """A source table's structure with the types that its change table has."""
    if not types:
        return table
    return replace(table, columns=tuple(_with_type(each, types.get(each.name, each)) for each in table.columns))


def altered(told: Table, now: Table) -> Table:
    """The structure that was told, with the types that its columns have now; itself where none was altered.

    One that was nullable stays so: rows that were captured before may have none.
    """
    columns = {each.name: each for each in now.columns}
    merged = tuple(_merged(each, columns.get(each.name, each)) for each in told.columns)
    return told if merged == told.columns else replace(told, columns=merged)


def _merged(told: Column, now: Column) -> Column:
    merged = _with_type(told, now)
    return replace(merged, optional=True) if now.optional and not told.optional else merged


def _with_type(column: Column, other: Column) -> Column:
    """A column with another's type."""
    return replace(
        column,
        type_name=other.type_name,
        type_expression=other.type_expression,
        jdbc_type=other.jdbc_type,
        length=other.length,
        scale=other.scale,
    )
