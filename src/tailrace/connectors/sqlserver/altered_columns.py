"""Captured columns that were altered while their capture instance lives.

ALTER TABLE ... ALTER COLUMN gives a captured column another type. The capture job alters the change table as well when it
comes to the statement, rows that lie in it already included. So the type of a change table's rows is the change table's own,
at any time: the source table may be ahead of it. A column that may be NULL from now on may be so in the change table at once.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/change-data-capture-tables-transact-sql
(`cdc.ddl_history`, `required_column_update`)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.structures import column_of
from tailrace.schema.tables import Column, Table

_ROWVERSION: Final = 189  # a change table has it as binary(8), and it can't be altered
_OTHER_TYPES: Final = f"""
    SELECT i.object_id, c.name, y.name, b.name, y.user_type_id, c.max_length, c.precision, c.scale,
           o.is_nullable, o.is_identity
    FROM cdc.change_tables i
    JOIN sys.columns c ON c.object_id = i.object_id
    JOIN sys.columns o ON o.object_id = i.source_object_id AND o.name = c.name
    JOIN sys.types y ON y.user_type_id = c.user_type_id
    LEFT JOIN sys.types b ON b.user_type_id = c.system_type_id
    WHERE o.system_type_id <> {_ROWVERSION} AND (o.system_type_id <> c.system_type_id OR o.max_length <> c.max_length
        OR o.precision <> c.precision OR o.scale <> c.scale)"""  # noqa: S608 -- the number is ours

Types = Mapping[str, Column]
"""By name of a column: the type that it has in a change table."""


def other_types(session: Session) -> Mapping[int, Types]:
    """Of each change table, by its object id: the columns that have another type there than in the source table."""
    found: defaultdict[int, dict[str, Column]] = defaultdict(dict)
    for object_id, *row in session.rows(_OTHER_TYPES):
        column = column_of([*row, False, None])
        found[object_id][column.name] = column
    return found


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
