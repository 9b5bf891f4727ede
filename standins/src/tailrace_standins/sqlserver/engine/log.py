"""The transaction log of this engine's tables, and the hook of its readers (`cdc`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.storage import log, transactions

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

Record: TypeAlias = log.Record[Database, Table]
LoggedTransaction: TypeAlias = log.LoggedTransaction[Record]
Transaction: TypeAlias = transactions.Transaction[Record]


class LogHook(log.CommitHook[Record], Protocol):
    """Gets committed transactions, and may forbid DDL and TRUNCATE."""

    def allow(self, record: Record) -> None:
        """A DDL statement or a TRUNCATE is about to run; raises `SqlError` where it must not (4711, 4928, 22979, 22983)."""
        ...

    def dropping(self, session: EngineSession, database: Database) -> None:
        """A database is about to be dropped: discard everything about it."""
        ...

    def is_tracked(self, database: Database, table: Table) -> bool:
        """Whether sys.tables.is_tracked_by_cdc is 1."""
        ...

    def close(self) -> None:
        """The server closes: stop threads."""
        ...
