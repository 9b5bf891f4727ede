"""Captured columns whose type was altered while their capture instance exists.

ALTER TABLE ... ALTER COLUMN changes the type of a captured column. The capture job then alters the change table too,
when it reaches the statement in the log, including the rows already in it. So the rows of a change table always have
its own column types, and the source table may be ahead. A column that becomes nullable may be nullable in the change
table at once.

Source: https://learn.microsoft.com/sql/relational-databases/system-tables/change-data-capture-tables-transact-sql
(`cdc.ddl_history`, `required_column_update`)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from tailrace.connectors.change_tables.altered_columns import Types
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.structures import column_of
from tailrace.schema.tables import Column

_ROWVERSION: Final = 189  # binary(8) in a change table; it can't be altered
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


def other_types(session: Session) -> Mapping[int, Types]:
    """The columns of each change table, by its object id, whose type differs from the source table's."""
    found: defaultdict[int, dict[str, Column]] = defaultdict(dict)
    for object_id, *row in session.rows(_OTHER_TYPES):
        column = column_of([*row, False, None])
        found[object_id][column.name] = column
    return found
