"""Columns whose values the connector's user sees masked (dynamic data masking).

A mask replaces what is selected, and not what conditions and orders go by. So the rows that a snapshot reads have other values
than the table, and than its change table, which is a table of its own. By such a column no row can be told from another, and
none can be read behind another: for keys it is as good as missing.

Source: https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.errors_of_driver import NoObjectError
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import TableId

# Since SQL Server 2022 the permission may be on a table or column; before, HAS_PERMS_BY_NAME has NULL for these.
_COLUMNS: Final = """
    SELECT s.name, t.name, m.name, m.object_id
    FROM sys.masked_columns m
    JOIN sys.tables t ON t.object_id = m.object_id
    JOIN sys.schemas s ON s.schema_id = t.schema_id
    WHERE m.is_masked = 1
      AND EXISTS (SELECT 1 FROM cdc.captured_columns k JOIN cdc.change_tables i ON i.object_id = k.object_id
                  WHERE i.source_object_id = m.object_id AND k.column_name = m.name)
      AND COALESCE(HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'UNMASK'), 0) = 0
      AND COALESCE(HAS_PERMS_BY_NAME(
          QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), 'OBJECT', 'UNMASK', m.name, 'COLUMN'), 0) = 0
    ORDER BY s.name, t.name, m.column_id"""

log = logging.getLogger(__name__)


def masked(session: Session) -> Mapping[int, Collection[str]]:
    """The captured columns of the session's database that its user sees masked, by the number of their table."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for _, _, column, table in _found(session):
        found[table].append(column)
    return found


def findings(session: Session, settings: SqlServerSettings) -> Iterator[Finding]:
    """A warning for each wanted table that has such columns."""
    found: defaultdict[TableId, list[str]] = defaultdict(list)
    for schema, name, column, _ in _found(session):
        table = TableId(session.database, schema, name)
        if settings.tables.matches(table):
            found[table].append(column)
    user = str(session.one("SELECT USER_NAME()")) if found else ""
    for table, columns in found.items():
        what = (
            f"{table}: the user {user} sees {listed(columns)} masked, so rows that a snapshot reads have masks in place of "
            "values; if the table has no key, some that change meanwhile come twice"
        )
        yield Finding(Level.WARNING, what, f"where they are wanted: {setup_sql.unmask(table.catalog, user)}")


def _found(session: Session) -> Sequence[tuple[Any, ...]]:
    try:
        return session.rows(_COLUMNS)
    except NoObjectError as error:  # before SQL Server 2016 there are no masks
        log.info("no masked columns are known: %s", error)
        return ()
