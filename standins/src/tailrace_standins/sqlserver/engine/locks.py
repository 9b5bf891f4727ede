"""SQL Server's lock modes and their compatibility, and its errors of lock waits and conflicts.

Source: "Transaction locking and row versioning guide",
https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine.connection import cancelled
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.catalog import Database, Table

SCHEMA_STABILITY: Final = "Sch-S"
INTENT_SHARED: Final = "IS"
INTENT_EXCLUSIVE: Final = "IX"
UPDATE: Final = "U"
SCHEMA: Final = "Sch-M"
COMPATIBLE: Final[dict[str, frozenset[str]]] = {
    SCHEMA_STABILITY: frozenset((SCHEMA_STABILITY, INTENT_SHARED, INTENT_EXCLUSIVE, SHARED, UPDATE, EXCLUSIVE)),
    INTENT_SHARED: frozenset((SCHEMA_STABILITY, INTENT_SHARED, INTENT_EXCLUSIVE, SHARED, UPDATE)),
    INTENT_EXCLUSIVE: frozenset((SCHEMA_STABILITY, INTENT_SHARED, INTENT_EXCLUSIVE)),
    SHARED: frozenset((SCHEMA_STABILITY, INTENT_SHARED, SHARED, UPDATE)),
    UPDATE: frozenset((SCHEMA_STABILITY, INTENT_SHARED, SHARED)),
    EXCLUSIVE: frozenset((SCHEMA_STABILITY,)),
    SCHEMA: frozenset(),
}
"""Each mode with the modes of other sessions that it is compatible with."""


class Errors:
    """`storage.sessions.Failures`, in SQL Server's numbers."""

    def lock_timeout(self) -> SqlError:
        """SET LOCK_TIMEOUT."""
        return error(1222, state=51)

    def deadlock(self, session: int) -> SqlError:
        """SET DEADLOCK_PRIORITY."""
        return error(1205, session)

    def cancelled(self) -> SqlError:
        """An attention."""
        return cancelled()

    def row_changed(self, database: Database, table: Table) -> SqlError:
        """Under SNAPSHOT."""
        return error(3960, f"{table.schema}.{table.name}", database.name)
