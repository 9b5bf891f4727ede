"""The log hook: what transactions change, for whoever keeps a log of it.

Records come in the order in which the statements made them; a transaction is handed over whole, at its commit, under
the lock that commits run under: so transactions come in the order of their commits. What was rolled back is never
seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from tailrace_standins.storage.sessions import R, Stored

DatabaseT = TypeVar("DatabaseT")
TableT = TypeVar("TableT")
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
class Record(Generic[DatabaseT, TableT]):
    """A change.

    Attributes:
        table: as it was defined when the change was made (after it, for DDL; before it, for DROP TABLE).
        before, after: images: stored values of `table.stored`, in that order.
        statement: number of the statement in its transaction, from 1.
        text: the statement's text, for DDL.
        old: the table before DDL.
        position: its place in the log, in the order in which records were made, over all transactions.

    """

    database: DatabaseT
    table: TableT
    operation: Operation
    before: Image | None = None
    after: Image | None = None
    statement: int = 0
    text: str = ""
    old: TableT | None = None
    position: int = field(default_factory=POSITIONS.__next__)


@dataclass(slots=True)
class LoggedTransaction(Generic[R]):
    """A transaction as it was committed; times are as the server's clock shows them; `sequence` orders commits."""

    id: int
    name: str
    begun: str
    committed: str
    sequence: int
    session_id: int
    records: list[R] = field(default_factory=list)


class CommitHook(Protocol[R]):
    """Gets committed transactions."""

    def committing(self, connection: Any, transaction: LoggedTransaction[R]) -> None:
        """A transaction is about to be committed, by a server whose file is kept; must be quick.

        What is written on the stand-in's connection now is in the same commit.
        """
        ...

    def committed(self, transaction: LoggedTransaction[R]) -> None:
        """A transaction was committed; must be quick and must not call the server."""
        ...
