"""Whether the tables that signals are written to are there, and look as they should."""

from __future__ import annotations

from collections.abc import Iterator

from tailrace.config.settings import Settings
from tailrace.connectors.mysql.captured import signal_tables_of
from tailrace.connectors.mysql.catalog import quoted
from tailrace.connectors.mysql.checks import Finding, Level
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.schema.tables import TableId
from tailrace.signals.table import COLUMNS

TEXTS = {"char", "varchar", "tinytext", "text", "mediumtext", "longtext"}


def signal_tables(connection: Connection, settings: Settings) -> Iterator[Finding]:
    """A finding for each table of `signal.data.collection`."""
    for table in signal_tables_of(settings):
        sql = (
            "SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
            " ORDER BY ORDINAL_POSITION"
        )
        yield _finding(table, [(name, kind.lower()) for name, kind in rows(connection, sql, table.catalog, table.name)])


def _finding(table: TableId, columns: list[tuple[str, str]]) -> Finding:
    name = f"{quoted(table.catalog)}.{quoted(table.name)}"
    create = f"CREATE TABLE {name} (id VARCHAR(42) PRIMARY KEY, type VARCHAR(32) NOT NULL, data VARCHAR(2048) NULL)"
    if not columns:
        return Finding(Level.WARNING, f"the signal table {table} is not there, or the user may not read it", create)
    if len(columns) != len(COLUMNS):
        return Finding(Level.WARNING, f"the signal table {table} has {len(columns)} columns instead of three", create)
    wrong = [column for column, kind in columns if kind not in TEXTS]
    if wrong:
        return Finding(Level.WARNING, f"the signal table {table} has columns that are no text: {', '.join(wrong)}", create)
    return Finding(Level.OK, f"the signal table {table} has its three columns")
