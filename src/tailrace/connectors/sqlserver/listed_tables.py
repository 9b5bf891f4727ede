"""The schemas, tables and captured columns of the configured databases, which the configuration's lists can match."""

from __future__ import annotations

from typing import Final

from tailrace.config.near_misses import Candidate, near_miss
from tailrace.connectors.findings import Finding
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.unmatched_lists import Existing
from tailrace.connectors.sqlserver import catalog, code_pages, masked_columns
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.errors_of_driver import NoDatabaseError
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import TailraceError
from tailrace.schema.tables import TableId

_DATABASES: Final = "SELECT name FROM sys.databases ORDER BY name"
_TABLES: Final = "SELECT s.name, t.name FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id"


def existing(settings: SqlServerSettings) -> Existing:
    """What the login may see in all configured databases."""
    tables: list[TableId] = []
    columns: dict[TableId, tuple[str, ...]] = {}
    doubts: list[Finding] = []
    for name in settings.database_names:
        with connect_named(settings, name) as session:
            catalog.require_captured(session, name)
            tables += _tables(session, settings)
            columns |= {each.table: each.columns for each in catalog.instances(session)}
            doubts += [*code_pages.findings(session, settings), *masked_columns.findings(session, settings)]
    lists = settings.tables.without_signal_tables()
    captured = [table for table in tables if table in columns and lists.matches(table)]
    schemas = sorted({table.schema for table in tables})
    named = {table: columns[table] for table in captured} if unmatched_lists.wants_columns(settings) else {}
    return Existing(settings.database_names, tables, captured, named, schemas, doubts)


def connect_named(settings: SqlServerSettings, name: str) -> Session:
    """A session in a database of `database.names`; if there is none, the error names a similar one."""
    try:
        return connect(settings, name)
    except NoDatabaseError as error:
        there = _databases(settings)
        is_there = name.lower() in map(str.lower, there)  # but closed to this login, or not online
        miss = "" if is_there else near_miss(name, [Candidate(each) for each in there])
        raise NoDatabaseError(f"{error} {miss}".strip()) from error


def _databases(settings: SqlServerSettings) -> list[str]:
    """The databases that the login may see; empty if it may not query them."""
    try:
        with connect(settings, "master") as session:
            return [str(name) for (name,) in session.rows(_DATABASES)]
    except TailraceError:
        return []


def _tables(session: Session, settings: SqlServerSettings) -> list[TableId]:
    found = (TableId(session.database, schema, table) for schema, table in session.rows(_TABLES))
    return sorted(table for table in found if not settings.tables.system.has(table))
