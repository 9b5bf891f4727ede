"""Captured columns whose type was altered while their capture instance exists.

The rows of a change table always have its own column types. The source table may be ahead of them: capture alters the
change table only when it reaches the ALTER in the log. A column that becomes nullable may be announced as nullable at
once. A change table may also have a column before its table has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tailrace.schema.tables import Column, Table

Types = Mapping[str, Column]
"""By column name, a column with the type that it has in a change table."""


def as_captured(table: Table, types: Types) -> Table:
    """A source table's structure with the column types of its change table."""
    if not types:
        return table
    return replace(table, columns=tuple(_with_type(each, types.get(each.name, each)) for each in table.columns))


def altered(announced: Table, now: Table) -> Table:
    """The announced structure with the columns' current types; itself if none was altered.

    A nullable column stays nullable: rows that were captured earlier may have no value.
    """
    columns = {each.name: each for each in now.columns}
    merged = tuple(_merged(each, columns.get(each.name, each)) for each in announced.columns)
    return announced if merged == announced.columns else replace(announced, columns=merged)


def with_added(announced: Table, now: Table) -> Table:
    """The announced structure with columns that it lacks: the table got them after its change table."""
    known = {each.name for each in announced.columns}
    added = tuple(each for each in now.columns if each.name not in known)
    return replace(announced, columns=announced.columns + added) if added else announced


def _merged(announced: Column, now: Column) -> Column:
    merged = _with_type(announced, now)
    return replace(merged, optional=True) if now.optional and not announced.optional else merged


def _with_type(column: Column, other: Column) -> Column:
    """A column with the type of another one."""
    return replace(
        column,
        type_name=other.type_name,
        type_expression=other.type_expression,
        jdbc_type=other.jdbc_type,
        length=other.length,
        scale=other.scale,
    )
