"""What was done to a table's structure."""

from __future__ import annotations

import enum
from dataclasses import dataclass

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
        table: the structure after the whole statement; None when the table is gone by then, or its structure is not known.
        is_unknown: of DROP: there is a table of this name, but its structure is not known.

    """

    type: ChangeType
    database: str
    ddl: str
    id: TableId | None = None
    previous_id: TableId | None = None
    table: Table | None = None
    is_unknown: bool = False
