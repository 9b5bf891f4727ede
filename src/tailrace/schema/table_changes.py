"""Changes of table structures."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from tailrace.schema.tables import Table, TableId


class ChangeType(enum.StrEnum):
    """What a statement did; only the first three occur in Debezium's schema history."""

    CREATE = "CREATE"
    ALTER = "ALTER"
    DROP = "DROP"
    TRUNCATE = "TRUNCATE"
    DATABASE = "DATABASE"


@dataclass(frozen=True, slots=True)
class TableChange:
    """What a statement did to one table, or (DATABASE) to a database or the server's settings.

    Attributes:
        type: the kind of change.
        database: the database; "" for the server.
        ddl: the statement, reduced to this table if it names several.
        id: the table; None for DATABASE.
        previous_id: the previous name of a renamed table.
        table: the structure after the whole statement; None if the table no longer exists then, or its structure is unknown.
        is_unknown: for DROP: a table of this name exists, but its structure is not known.
        omits_database: whether records name the table without its database.

    """

    type: ChangeType
    database: str
    ddl: str
    id: TableId | None = None
    previous_id: TableId | None = None
    table: Table | None = None
    is_unknown: bool = False
    omits_database: bool = False

    @property
    def told_id(self) -> TableId | None:
        """The table's id in records."""
        return replace(self.id, catalog="") if self.id is not None and self.omits_database else self.id
