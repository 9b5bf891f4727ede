"""The names that a configuration's lists can match on a MySQL server: databases, tables and columns."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.unmatched_lists import Existing
from tailrace.schema.tables import TableId


def existing(connection: Connection, settings: MySqlSettings) -> Existing:
    """The names that the user may see."""
    databases = [name for (name,) in rows(connection, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")]
    tables = [each for each in catalog.table_ids(connection) if not settings.tables.system.has(each)]
    lists = settings.tables.without_signal_tables()
    captured = [each for each in tables if lists.matches(each)]
    columns = _columns(connection, captured) if unmatched_lists.wants_columns(settings) else {}
    return Existing(databases, tables, captured, columns)


def _columns(connection: Connection, tables: Sequence[TableId]) -> dict[TableId, list[str]]:
    found: dict[TableId, list[str]] = {table: [] for table in tables}
    sql = (
        "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA NOT IN %s"
        " ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION"
    )
    for database, table, column in rows(connection, sql, catalog.SYSTEM_DATABASES):
        if (table_id := TableId(database, "", table)) in found:
            found[table_id].append(column)
    return found
