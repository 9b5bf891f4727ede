"""The log hook: what transactions change, for whoever keeps a log of it (`cdc`).

Records come in the order in which the statements made them; a transaction is handed over whole, at its commit, under
the lock that commits run under: so transactions come in the order of their commits. What was rolled back is never
seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.stored import Stored

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

POSITIONS: Final = count(1)  # places in the log, over all databases


class Operation(Enum):
    """What a record tells."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"
    CREATE_TABLE = "create table"
    ALTER_TABLE = "alter table"
    DROP_TABLE = "drop table"
    RENAME = "rename"
    CREATE_INDEX = "create index"
    DROP_INDEX = "drop index"


Image: TypeAlias = tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A change.

    Attributes:
        table: as it was defined when the change was made (after it, for DDL; before it, for DROP TABLE).
        before, after: images: stored values (`stored.decoded` makes values of them) of `table.stored`, in that order.
        statement: number of the statement in its transaction, from 1.
        text: the statement's text, for DDL.
        old: the table before DDL.
        position: its place in the log, in the order in which records were made, over all transactions.

    """

    database: Database
    table: Table
    operation: Operation
    before: Image | None = None
    after: Image | None = None
    statement: int = 0
    text: str = ""
    old: Table | None = None
    position: int = field(default_factory=POSITIONS.__next__)


@dataclass(slots=True)
class LoggedTransaction:
    """A transaction as it was committed; times are UTC, as datetime2(7) is stored; `sequence` orders commits."""

    id: int
    name: str
    begun: str
    committed: str
    sequence: int
    session_id: int
    records: list[Record] = field(default_factory=list)


class LogHook(Protocol):
    """Gets committed transactions, and may forbid DDL and TRUNCATE."""

    def committing(self, connection: Connection, transaction: LoggedTransaction) -> None:
        """A transaction is about to be committed, by a server with a folder; must be quick.

        What is written on the connection now is in the same commit.
        """
        ...

    def committed(self, transaction: LoggedTransaction) -> None:
        """A transaction was committed; must be quick and must not call the engine."""
        ...

    def allow(self, record: Record) -> None:
        """A DDL statement or a TRUNCATE is about to run; raises `SqlError` where it must not (4711, 4928, 22979, 22983)."""
        ...

    def dropping(self, session: EngineSession, database: Database) -> None:
        """A database is about to go: nothing of it is to be kept."""
        ...

    def is_tracked(self, database: Database, table: Table) -> bool:
        """Whether sys.tables.is_tracked_by_cdc is 1."""
        ...

    def close(self) -> None:
        """The server closes: end what runs."""
        ...
