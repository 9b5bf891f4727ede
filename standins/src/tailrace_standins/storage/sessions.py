"""The protocols that a stand-in implements: sessions with connections, tables, and the errors of its clients."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from tailrace_standins.storage.store import Store
    from tailrace_standins.storage.transactions import Transaction

R = TypeVar("R")  # a record of the log
Stored: TypeAlias = Any  # int, float, str, bytes or None: what SQLite holds


class Connection(Protocol):
    """A session's connection to SQLite, which raises the stand-in's own errors."""

    raw: sqlite3.Connection

    def execute(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> sqlite3.Cursor:
        """Run a statement."""
        ...

    def many(self, sql: str, rows: Sequence[Sequence[Stored]]) -> None:
        """Run a statement for each row."""
        ...

    def rows(self, sql: str, values: Mapping[str, Stored] | Sequence[Stored] = ()) -> list[tuple[Stored, ...]]:
        """All rows."""
        ...


class Session(Protocol[R]):
    """Who reads and writes.

    Attributes:
        transaction: the open one, if there is one.
        lock_timeout: how many ms it waits for a lock; -1 without end.
        deadlock_priority: of sessions that wait for each other, the one with the lowest is the victim.

    """

    lock_timeout: int
    deadlock_priority: int
    transaction: Transaction[R] | None

    @property
    def id(self) -> int:
        """Its number, unique in the server."""
        ...

    @property
    def connection(self) -> Connection:
        """Its own connection to SQLite."""
        ...

    @property
    def store(self) -> Store[R]:
        """The server's store."""
        ...


class Column(Protocol):
    """A column that is stored in SQLite."""

    @property
    def slot(self) -> str:
        """Its name in SQLite."""
        ...


class Table(Protocol):
    """A table; in SQLite it has `visibility.COLUMNS` and then those of `stored`."""

    @property
    def id(self) -> int:
        """Its number."""
        ...

    @property
    def storage(self) -> str:
        """Its name in SQLite, which begins with `temp.` for a temporary table."""
        ...

    @property
    def is_temporary(self) -> bool:
        """Whether it belongs to one session; then it needs no locks and has no log records."""
        ...

    @property
    def stored(self) -> Sequence[Column]:
        """Its columns in SQLite."""
        ...


class Failures(Protocol):
    """The errors that the stand-in's clients get for failures of the storage."""

    def lock_timeout(self) -> Exception:
        """A lock was not granted in time."""
        ...

    def deadlock(self, session: int) -> Exception:
        """The session is a deadlock victim."""
        ...

    def cancelled(self) -> Exception:
        """The client cancelled a wait."""
        ...

    def row_changed(self, database: Any, table: Any) -> Exception:
        """A row to be changed was changed by a commit after the transaction's snapshot."""
        ...
