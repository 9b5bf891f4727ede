"""Foreign keys whose cascades change rows without a trace in the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.schema.tables import TableId

_LOGGED: Final = (9, 6, 0)
"""From this version on cascades are in the log, unless the storage engine is told to do them."""


def cascades(connection: Connection, server: catalog.Server, wanted: catalog.Wanted) -> Iterator[Finding]:
    """Wanted tables whose rows a foreign key changes without a trace in the log."""
    if server.version >= _LOGGED and not server.is_on("innodb_native_foreign_keys"):
        return
    sql = (
        "SELECT DISTINCT CONSTRAINT_SCHEMA, TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS"
        " WHERE DELETE_RULE IN ('CASCADE', 'SET NULL') OR UPDATE_RULE IN ('CASCADE', 'SET NULL')"
    )
    found = [table for d, t in rows(connection, sql) if wanted(table := TableId(d, "", t))]
    if found:
        what = f"changes that foreign keys cascade to these tables are not in the log: {listed(found)}"
        yield Finding(
            Level.WARNING, what, "cascade with triggers or in the application, or use MySQL 9.6 or newer"
        )
