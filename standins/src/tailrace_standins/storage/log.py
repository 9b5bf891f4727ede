"""The transaction log: records of what transactions changed, and the hook that receives them.

Records are in the order in which statements made them. A transaction is passed to the hooks as a whole, at its commit and
under the lock that serialises commits, so hooks see transactions in commit order. They never see what was rolled back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from tailrace_standins.storage.sessions import R, Stored

DatabaseT = TypeVar("DatabaseT")
TableT = TypeVar("TableT")
POSITIONS: Final = count(1)  # positions in the log, over all databases


class Operation(Enum):
    """What a record describes."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"
    CREATE_TABLE = "create table"
    ALTER_TABLE = "alter table"
    DROP_TABLE = "drop table"
    RENAME = "rename"
    CREATE_INDEX = "create index"
    ALTER_INDEX = "alter index"
    DROP_INDEX = "drop index"


Image: TypeAlias = tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class Record(Generic[DatabaseT, TableT]):
    """A log record: one changed row, or one DDL statement.

    Attributes:
        database: of the table.
        table: its definition at the time of the change (for DDL after it, for DROP TABLE before it).
        operation: what was done.
        before, after: row images: the stored values of `table.stored`, in that order.
        statement: number of the statement in its transaction, from 1.
        text: for DDL, the statement's text.
        old: for DDL, the table before it.
        position: in the log; records of all transactions are numbered in the order in which they were made.

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
    """A committed transaction; times are by the server's clock, `sequence` is the commit order."""

    id: int
    name: str
    begun: str
    committed: str
    sequence: int
    session_id: int
    records: list[R] = field(default_factory=list)


class CommitHook(Protocol[R]):
    """Receives committed transactions."""

    def committing(self, connection: Any, transaction: LoggedTransaction[R]) -> None:
        """A transaction is about to be committed, by a server whose file is kept; must be quick.

        Writes on the stand-in's connection become part of the same commit.
        """
        ...

    def committed(self, transaction: LoggedTransaction[R]) -> None:
        """A transaction was committed; must be quick and must not call the server."""
        ...
