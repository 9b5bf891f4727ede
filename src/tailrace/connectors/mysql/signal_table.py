"""The signal tables: which they are, and whether they exist with the right columns."""

from __future__ import annotations

from collections.abc import Iterator

from tailrace.connectors.findings import Finding, Level
from tailrace.connectors.mysql.catalog import quoted
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.schema.tables import TableId
from tailrace.signals.table import COLUMNS

TEXTS = {"char", "varchar", "tinytext", "text", "mediumtext", "longtext"}


def is_captured(settings: MySqlSettings, table: TableId, *, lower_names: bool) -> bool:
    """Whether signals may request a table's rows: it is captured, and not a signal table.

    Args:
        settings: the connector's.
        table: its id, from the server or the structures.
        lower_names: whether the server's table names are case-insensitive.

    """
    name = _name(table, lower_names=lower_names)
    is_for_signals = any(name == _name(each, lower_names=lower_names) for each in signal_tables_of(settings))
    return not is_for_signals and settings.tables.matches(table)


def findings(connection: Connection, settings: MySqlSettings) -> Iterator[Finding]:
    """A finding for each table of `signal.data.collection`."""
    for table in signal_tables_of(settings):
        sql = (
            "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
            " ORDER BY ORDINAL_POSITION"
        )
        yield _finding(table, [(name, kind.lower()) for name, kind in rows(connection, sql, table.catalog, table.name)])


def _name(table: TableId, *, lower_names: bool) -> tuple[str, str]:
    return (table.catalog.lower(), table.name.lower()) if lower_names else (table.catalog, table.name)


def _finding(table: TableId, columns: list[tuple[str, str]]) -> Finding:
    name = f"{quoted(table.catalog)}.{quoted(table.name)}"
    create = f"CREATE TABLE {name} (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL)"
    if not columns:
        return Finding(Level.WARNING, f"the signal table {table} is not there, or the user may not read it", create)
    if len(columns) != len(COLUMNS):
        return Finding(Level.WARNING, f"the signal table {table} has {len(columns)} columns instead of three", create)
    wrong = [column for column, kind in columns if kind not in TEXTS]
    if wrong:
        return Finding(
            Level.WARNING, f"the signal table {table} has columns that are no text: {', '.join(wrong)}", create
        )
    return Finding(Level.OK, f"the signal table {table} has its three columns")
