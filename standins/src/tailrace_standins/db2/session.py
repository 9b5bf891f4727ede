"""The interface between wire and engine.

The wire turns DRDA's commands into calls of a `Session`, and what these return into replies. The wire knows no SQL, the engine
no bytes. One thread at a time uses a session; only `cancel` may be called from another one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from tailrace_standins.db2.values import SqlType, Value


class SqlError(Exception):
    """A statement's error.

    Attributes:
        code: SQLCODE, negative.
        state: SQLSTATE, five characters.
        tokens: what the message's text is filled with, in the message's order; Db2 sends no text, its drivers have that.
        ends_transaction: the unit of work was rolled back by the error, as -911 does.

    Source: IBM Db2 documentation, "SQL messages"

    """

    def __init__(self, code: int, state: str, *tokens: str, ends_transaction: bool | None = None) -> None:
        """`ends_transaction` follows from the code where it is not given."""
        super().__init__(f"SQLCODE {code}, SQLSTATE {state}: {', '.join(tokens)}")
        self.code = code
        self.state = state
        self.tokens = tokens
        self.ends_transaction = code == -911 if ends_transaction is None else ends_transaction


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result set, or a parameter of a statement, whose name is empty."""

    name: str
    type: SqlType
    nullable: bool = True
    unnamed: bool = False  # the name is made up: that of an expression without AS


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Rows that are bytes of the wire already: those from `first` to before `last`.

    Attributes:
        data: rows one behind the other.
        begins: where each begins in `data`; the last entry is the end.

    """

    data: bytes
    begins: Sequence[int]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Rows:
    """A result set, in pieces, so that a large one is never in memory as a whole.

    The wire closes `pieces` when the cursor is closed, at its end, or with the transaction. `pieces` may raise `SqlError`.
    """

    columns: tuple[Column, ...]
    pieces: Generator[Sequence[Sequence[Value]] | EncodedRows, None, None]


class Ended(Enum):
    """How a statement ended the unit of work, if it did."""

    COMMITTED = 1
    ROLLED_BACK = 2


@dataclass(frozen=True, slots=True)
class Affected:
    """A statement without a result set has ended.

    `count` is None for what counts no rows (DDL, SET, CALL); 0 is told as SQLCODE +100. `ended` is for COMMIT and ROLLBACK as
    statements.
    """

    count: int | None = None
    ended: Ended | None = None


Result: TypeAlias = Rows | Affected


class Isolation(Enum):
    """Isolation levels, with the numbers in the names of the packages of CLI and JDBC.

    Source: IBM Db2 documentation, "CLI bind files and package names"
    """

    NO_COMMIT = 0
    UNCOMMITTED_READ = 1
    CURSOR_STABILITY = 2
    READ_STABILITY = 3
    REPEATABLE_READ = 4


@dataclass(frozen=True, slots=True)
class Login:
    """Who opens a database: the user is authenticated already. `application` and `product` are what the client calls itself."""

    user: str
    database: str
    application: str = ""
    product: str = ""


class Statement(Protocol):
    """A prepared statement: what the engine made of its text."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The result set's columns; empty for a statement that has none."""
        ...

    @property
    def parameters(self) -> tuple[Column, ...]:
        """The parameter markers with their types, by which clients bind: VARCHAR for a binary column turns bytes into text."""
        ...


class Session(Protocol):
    """One connection's session. Every method but `cancel` and `close` may raise `SqlError`."""

    def prepare(self, sql: str) -> Statement:
        """Compile a statement; its isolation may come later, with `execute`."""
        ...

    def execute(self, statement: Statement, parameters: Sequence[Value], isolation: Isolation) -> Result:
        """Run a prepared statement; `isolation` holds unless the statement names its own (WITH UR)."""
        ...

    def call(self, procedure: str, parameters: Sequence[Value]) -> Sequence[Rows]:
        """Call a procedure by name (`SYSIBM.SQLTABLES`): its result sets."""
        ...

    def commit(self) -> None:
        """Commit the unit of work."""
        ...

    def rollback(self) -> None:
        """Roll it back."""
        ...

    def watch(self, is_gone: Callable[[], bool]) -> None:
        """Let what runs fail with -952 as soon as the client has gone."""
        ...

    def cancel(self) -> None:
        """Let the running statement fail with -952; called from another thread."""
        ...

    def close(self) -> None:
        """Roll back what is open and release locks; the client has gone."""
        ...


class Server(Protocol):
    """The engine, as the wire needs it."""

    def authenticates(self, user: str, password: str) -> bool:
        """Whether the password is the user's."""
        ...

    def open(self, login: Login) -> Session | None:
        """A new session in a database; None if there is no such database."""
        ...
