"""The interface between wire and engine: sessions and their outcomes.

The wire turns packets into calls of a `Session`, and its `Outcome`s into tokens. The wire knows no SQL, the engine no bytes.
One thread at a time uses a session; only `cancel` may be called from another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from tailrace_standins.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    import pyarrow as pa


class SqlError(Exception):
    """An error of SQL Server; it ends the statement (severity 11-18) or the session (20 and above).

    Source: "Database Engine error severities", https://learn.microsoft.com/sql/relational-databases/errors-events/
    """

    def __init__(
        self, number: int, message: str, *, severity: int = 16, state: int = 1, procedure: str = "", line: int = 1
    ) -> None:
        """`number` as in sys.messages."""
        super().__init__(message)
        self.number = number
        self.message = message
        self.severity = severity
        self.state = state
        self.procedure = procedure
        self.line = line


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result set."""

    name: str
    type: SqlType
    nullable: bool = True
    identity: bool = False
    computed: bool = False


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The rows of a statement in pieces, so that a large result is never in memory as a whole.

    A piece is a list of tuples of values, Arrow columns (`ArrowRows`), or rows that are encoded as ROW tokens already
    (`EncodedRows`). DONE with the number of rows follows the last piece.
    """

    columns: tuple[ResultColumn, ...]
    pieces: Iterator[Sequence[Sequence[Value]] | ArrowRows | EncodedRows]


@dataclass(frozen=True, slots=True)
class ArrowRows:
    """Rows as columns, for large tables; `tds.columnar` lists the Arrow types of each T-SQL type."""

    batch: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Rows as the ROW tokens that `tds` makes of them (`tds.rows.encoded`)."""

    count: int
    data: bytes | memoryview


@dataclass(frozen=True, slots=True)
class Affected:
    """A statement without a result set has ended; `count` is None without a row count (DDL, SET, SET NOCOUNT ON).

    `verb` is the kind of statement, which some clients read: INSERT, UPDATE, DELETE, MERGE, SELECT INTO, CREATE TABLE, ...
    """

    count: int | None = None
    verb: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message that is no error: PRINT, RAISERROR below 11, USE."""

    number: int
    message: str
    severity: int = 0
    state: int = 1


@dataclass(frozen=True, slots=True)
class Failed:
    """A statement failed and the batch continued (XACT_ABORT OFF); the client gets the error as with `SqlError`."""

    error: SqlError


@dataclass(frozen=True, slots=True)
class ReturnStatus:
    """The return status of a procedure."""

    status: int


@dataclass(frozen=True, slots=True)
class ReturnValue:
    """An OUTPUT parameter."""

    name: str
    type: SqlType
    value: Value


class Change(Enum):
    """What changed in a session's environment (ENVCHANGE)."""

    DATABASE = "database"
    BEGUN = "begun"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True, slots=True)
class Changed:
    """A change; `new` and `old` are database names, or the transaction's descriptor (8 bytes) and an empty one."""

    what: Change
    new: str | bytes = b""
    old: str | bytes = b""


Outcome: TypeAlias = ResultSet | Affected | Notice | Failed | ReturnStatus | ReturnValue | Changed


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a call; `name` has its @, and is empty for a positional parameter."""

    name: str
    type: SqlType
    value: Value
    is_output: bool = False
    is_default: bool = False


class Isolation(Enum):
    """Isolation levels, with the numbers of a begin request ([MS-TDS] 2.2.7.17)."""

    CURRENT = 0
    READ_UNCOMMITTED = 1
    READ_COMMITTED = 2
    REPEATABLE_READ = 3
    SERIALIZABLE = 4
    SNAPSHOT = 5


@dataclass(frozen=True, slots=True)
class Login:
    """The data of a login."""

    user: str
    password: str
    database: str = ""
    host: str = ""
    application: str = ""
    language: str = ""
    read_only: bool = False  # ApplicationIntent=ReadOnly


class Session(Protocol):
    """One connection's session. Methods that run something may raise `SqlError`, also while outcomes are iterated."""

    @property
    def id(self) -> int:
        """@@SPID."""
        ...

    @property
    def database(self) -> str:
        """The current database."""
        ...

    def batch(self, sql: str) -> Iterator[Outcome]:
        """Run a batch of statements."""
        ...

    def execute(self, sql: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        """Run a batch with parameters (sp_executesql and the like); `ReturnValue`s of OUTPUT parameters come last.

        All parameters have names: the caller has taken missing ones from the declaration.
        """
        ...

    def describe(self, sql: str, parameters: Sequence[Parameter]) -> tuple[ResultColumn, ...]:
        """The columns of the first result set, without running the batch (sp_prepare); empty if there is none."""
        ...

    def call(self, procedure: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        """Call a stored procedure by name (`sys.sp_tables`, `[db].sys.sp_cdc_enable_table`)."""
        ...

    def begin(self, name: str, isolation: Isolation) -> Iterator[Outcome]:
        """Begin a transaction ([MS-TDS] TM_BEGIN_XACT)."""
        ...

    def commit(self, name: str) -> Iterator[Outcome]:
        """Commit."""
        ...

    def rollback(self, name: str) -> Iterator[Outcome]:
        """Roll back the transaction, or to a savepoint."""
        ...

    def save(self, name: str) -> Iterator[Outcome]:
        """Set a savepoint."""
        ...

    def reset(self) -> None:
        """Reset to the state of a new session (RESETCONNECTION, sp_reset_connection)."""
        ...

    def cancel(self) -> None:
        """Cancel the running request (attention); called from another thread."""
        ...

    def close(self) -> None:
        """Roll back an open transaction and release locks."""
        ...


def run(session: Session, sql: str) -> None:
    """Run a batch to its end and discard its results; raises `SqlError` if a statement failed."""
    for outcome in session.batch(sql):
        if isinstance(outcome, Failed):
            raise outcome.error
        if isinstance(outcome, ResultSet):
            for _ in outcome.pieces:
                pass


class Server(Protocol):
    """The engine, as the wire needs it."""

    def login(self, login: Login) -> Session:
        """A new session; raises `SqlError` 18456 (login failed) or 4060 (cannot open database)."""
        ...
