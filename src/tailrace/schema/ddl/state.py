"""What DDL is applied to, and what it did."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from tailrace.schema.tables import Table, TableId


class ChangeType(enum.StrEnum):
    """What a statement did; the first three are what Debezium's history knows for tables."""

    CREATE = "CREATE"
    ALTER = "ALTER"
    DROP = "DROP"
    TRUNCATE = "TRUNCATE"
    DATABASE = "DATABASE"


@dataclass(frozen=True, slots=True)
class TableChange:
    """What a statement did to one table, or (DATABASE) to a database or the server's settings.

    Attributes:
        database: the database concerned; "" for the server.
        ddl: the statement, cut down to this table where it names more.
        id: the table; None for DATABASE.
        previous_id: of a renamed table, its name before.
        table: the structure after the whole statement; None when the table is gone by then.

    """

    type: ChangeType
    database: str
    ddl: str
    id: TableId | None = None
    previous_id: TableId | None = None
    table: Table | None = None


@dataclass(slots=True)
class State:
    """The tables, and the default character sets of databases and of the server."""

    tables: dict[TableId, Table] = field(default_factory=dict)
    database_charsets: dict[str, str] = field(default_factory=dict)
    server_charset: str | None = None

    def copy(self) -> State:
        """Another one with the same content; tables are immutable and shared."""
        return State(dict(self.tables), dict(self.database_charsets), self.server_charset)

    def charset_of(self, database: str) -> str | None:
        """The character set that new tables of a database get."""
        return self.database_charsets.get(database, self.server_charset)
