"""A session: its settings, variables and transaction; it implements the protocol `session.Session`.

Source: "SET statements", https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import (
    access,
    calls,
    describing,
    interpret,
    raising,
    reading,
    stored,
    tree,
)
from tailrace_standins.sqlserver.engine.availability import PRIMARY_NAME
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.connection import Connection
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.metadata import session_functions
from tailrace_standins.sqlserver.engine.session_transactions import SessionTransactions
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import (
    Change,
    Changed,
    Isolation,
    Login,
    Outcome,
    Parameter,
    ResultColumn,
    ReturnValue,
    SqlError,
)
from tailrace_standins.sqlserver.values import SqlType

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.availability import Replica
    from tailrace_standins.sqlserver.engine.server import Engine


class EngineSession(SessionTransactions):
    """One connection's session.

    Attributes:
        replica: of an availability group, that it came through; None for the engine itself, which always writes.
        is_killed: it ends with the next thing that it is asked for.
        types, values: variables of the batch that runs, by name with @ in lower case, and their stored values.
        temporary: #tables and table variables by name in lower case.
        errors: what the CATCH blocks around the running statement caught, the innermost last.
        ending: the error that ends the batch, on its way out.
        now: the time of the running statement, once it asked for it: one for all its rows.
        wants_values: results are not for the wire (INSERT … EXEC): they come as rows of values.

    """

    def __init__(
        self, engine: Engine, number: int, login: Login, database: str, replica: Replica | None = None
    ) -> None:
        self.engine = engine
        self.store = engine.store
        self.login = login
        self.replica = replica
        self.is_killed = False
        self.connection = Connection(engine.path)
        self.transaction: Transaction | None = None
        self.trancount = 0
        self.types: dict[str, SqlType] = {}
        self.values: dict[str, Stored] = {}
        self.temporary: dict[str, Table] = {}
        self.temporary_version = 0
        self.filled: dict[str, object] = {}
        self.rows: reading.Rows | None = None
        self.errors: list[SqlError] = []
        self.ending: SqlError | None = None
        self.now: dt.datetime | None = None
        self.wants_values = False
        self._id = number
        self._database = self._first = database
        self._settings()
        session_functions.register(self)

    def _settings(self) -> None:
        self.isolation = Isolation.READ_COMMITTED
        self.lock_timeout = -1
        self.deadlock_priority = 0
        self.implicit_transactions = False
        self.xact_abort = False
        self.nocount = False
        self.rowcount_limit = 0
        self.identity_insert: Table | None = None
        self.row_count = 0
        self.last_error = 0
        self.identity: int | None = None
        self.try_depth = 0

    @property
    def id(self) -> int:
        """@@SPID."""
        return self._id

    @property
    def database(self) -> str:
        """The current database."""
        return self._database

    @property
    def current(self) -> Database:
        """The current database's definitions."""
        return self.engine.catalog.database(self._database)

    @property
    def is_secondary(self) -> bool:
        """Whether it came through a replica that is secondary now."""
        return self.replica is not None and self.replica.is_secondary

    @property
    def server_name(self) -> str:
        """@@SERVERNAME."""
        return PRIMARY_NAME if self.replica is None else self.replica.name

    def databases(self) -> list[Database]:
        """The databases of the instance that it came to."""
        return [d for d in self.engine.catalog.databases.values() if self.replica is None or self.replica.has(d)]

    def known(self, name: str) -> Database | None:
        """The database of that name, where this instance has it."""
        return next((database for database in self.databases() if database.name.lower() == name.lower()), None)

    def use(self, name: str) -> Iterator[Outcome]:
        """USE; raises 911, and as `access.check_database`."""
        found = self.engine.catalog.database(name)
        access.check_database(self, found)
        old, self._database = self._database, found.name
        yield Changed(Change.DATABASE, self._database, old)
        yield raising.notice(5701, f"Changed database context to '{self._database}'.")

    def batch(self, sql: str) -> Iterator[Outcome]:
        """Run a batch of statements."""
        self._frame({}, {})
        return interpret.batch(self, self.engine.parsed(sql, ()))

    def execute(self, sql: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        """Run a batch with parameters; OUTPUT parameters come last."""
        saved = (self.types, self.values)
        self._bind(parameters)
        outcomes = interpret.batch(self, self.engine.parsed(sql, tuple(self.types.items())))
        return self._with_outputs(outcomes, parameters, saved)

    def _with_outputs(
        self,
        outcomes: Iterator[Outcome],
        parameters: Sequence[Parameter],
        saved: tuple[dict[str, SqlType], dict[str, Stored]],
    ) -> Iterator[Outcome]:
        try:
            yield from outcomes
            for parameter in parameters:
                if parameter.is_output:
                    key = parameter.name.lower()
                    yield ReturnValue(parameter.name, parameter.type, stored.decoded(self.values[key], self.types[key]))
        finally:
            self.types, self.values = saved

    def _bind(self, parameters: Sequence[Parameter]) -> None:
        types = {parameter.name.lower(): parameter.type for parameter in parameters}
        self._frame(types, {p.name.lower(): stored.encoded(p.value, p.type) for p in parameters})

    def _frame(self, types: dict[str, SqlType], values: dict[str, Stored]) -> None:
        self.begin_request()
        self.types, self.values = types, values

    def begin_request(self) -> None:
        """Check before each request; raises 596 if the session was killed."""
        if self.is_killed:
            raise error(596)
        self.connection.is_cancelled = False

    def describe(self, sql: str, parameters: Sequence[Parameter]) -> tuple[ResultColumn, ...]:
        """The columns of the first result set, without running anything."""
        saved = (self.types, self.values)
        self._bind(parameters)
        try:
            statements = self.engine.parsed(sql, tuple(self.types.items()))
            return describing.described(self, statements)
        finally:
            self.types, self.values = saved

    def call(self, procedure: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        """Call a stored procedure by name."""
        return calls.call(self, procedure, parameters)

    def finish_reading(self) -> None:
        """Load rows of a result that are still in SQLite into memory, so that another statement can run."""
        if self.rows is not None:
            self.rows.drain()
            self.rows = None

    def plan_key(self, node: tree.Statement) -> tuple[object, ...]:
        """What a plan of a statement depends on."""
        del node
        return (
            self._database, self.engine.catalog.version, self.temporary_version, self.isolation is Isolation.READ_UNCOMMITTED,
            self.is_secondary, tuple(self.types.items()),
        )  # fmt: skip

    def reset(self) -> None:
        """As a new session."""
        if self.transaction is not None:
            self.abort()
        self.engine.locks.release_all(self.id)
        for table in self.temporary.values():
            self.connection.execute(f"DROP TABLE IF EXISTS {table.storage}")
        self.temporary.clear()
        self._database = self._first
        self.errors.clear()
        self._settings()
        self._frame({}, {})

    def cancel(self) -> None:
        """Cancel the running request; called from another thread."""
        self.connection.is_cancelled = True
        self.connection.raw.interrupt()
        self.engine.locks.cancel(self.id)

    def kill(self) -> None:
        """Cancel the running request, and end the session at its next one (596); called from another thread."""
        self.is_killed = True
        self.cancel()

    def close(self) -> None:
        """Roll back an open transaction and release locks."""
        if self.engine.sessions.pop(self.id, None) is None:
            return
        if self.rows is not None:
            self.rows.close()
            self.rows = None
        if self.transaction is not None:
            self.abort()
        self.engine.locks.release_all(self.id)
        self.connection.raw.close()
