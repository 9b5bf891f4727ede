"""Captured columns whose changes may have other characters than the table: in another code page than the database's.

Change data capture keeps changes in interim storage without a collation of its own. Characters beyond ASCII of a char or
varchar with another code page than the database's may come into the change table as others. A change then does not show
the row that it changed, and where such a column is in the key, a snapshot does not find its row.

Source: https://learn.microsoft.com/sql/relational-databases/track-changes/known-issues-and-errors-change-data-capture
("Collation differences")
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import TableId

_MEND: Final = "where they hold more than ASCII, give them the database's collation, or make them nchar or nvarchar"
_COLUMNS: Final = """
    SELECT DISTINCT s.name, t.name, c.name
    FROM cdc.captured_columns k
    JOIN cdc.change_tables i ON i.object_id = k.object_id
    JOIN sys.tables t ON t.object_id = i.source_object_id
    JOIN sys.schemas s ON s.schema_id = t.schema_id
    JOIN sys.columns c ON c.object_id = t.object_id AND c.name = k.column_name
    JOIN sys.types y ON y.user_type_id = c.system_type_id
    WHERE y.name IN (N'char', N'varchar')
      AND CAST(COLLATIONPROPERTY(c.collation_name, 'CodePage') AS int) <> CAST(COLLATIONPROPERTY(
          CAST(DATABASEPROPERTYEX(DB_NAME(), 'Collation') AS nvarchar(128)), 'CodePage') AS int)
    ORDER BY s.name, t.name, c.name"""


def findings(session: Session, settings: SqlServerSettings) -> Iterator[Finding]:
    """A warning for each wanted table of the session's database that has such columns."""
    found: defaultdict[TableId, list[str]] = defaultdict(list)
    for schema, name, column in session.rows(_COLUMNS):
        table = TableId(session.database, schema, name)
        if settings.tables.matches(table):  # whichever columns events have: the key is read in any case
            found[table].append(column)
    for table, columns in found.items():
        what = (
            f"{table}: changes of {listed(columns)} may have other characters than the table, as these columns are char or "
            "varchar in another code page than the database's"
        )
        yield Finding(Level.WARNING, what, _MEND)
