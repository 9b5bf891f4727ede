"""A session: its settings, variables, transaction, and the ways in that `session.Session` lists.

Source: "SET statements", https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tailrace.standin.sqlserver.engine import calls, interpret, raising, reading, stored, transactions, tree
from tailrace.standin.sqlserver.engine.catalog import Database, Table
from tailrace.standin.sqlserver.engine.connection import Connection
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.locks import Resource
from tailrace.standin.sqlserver.engine.metadata import session_functions
from tailrace.standin.sqlserver.engine.stored import Stored
from tailrace.standin.sqlserver.engine.transactions import Transaction
from tailrace.standin.sqlserver.session import (
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
from tailrace.standin.sqlserver.values import SqlType

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.server import Engine


class EngineSession:
    """One connection's session.

    Attributes:
        types, values: variables of the batch that runs, by name with @ in lower case, and their stored values.
        temporary: #tables and table variables by name in lower case.
        errors: what the CATCH blocks around the running statement caught, the innermost last.
        ending: the error that ends the batch, on its way out.
        now: the time of the running statement, once it asked for it: one for all its rows.
        wants_values: results are not for the wire (INSERT … EXEC): they come as rows of values.

    """

    def __init__(self, engine: Engine, number: int, login: Login, database: str) -> None:
        self.engine = engine
        self.login = login
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
        self.now = ""
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

    def use(self, name: str) -> Iterator[Outcome]:
        """USE; raises 911."""
        old, self._database = self._database, self.engine.catalog.database(name).name
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
        self.types, self.values = types, values
        self.connection.is_cancelled = False

    def describe(self, sql: str, parameters: Sequence[Parameter]) -> tuple[ResultColumn, ...]:
        """The columns of the first result set, without running anything."""
        saved = (self.types, self.values)
        self._bind(parameters)
        try:
            statements = self.engine.parsed(sql, tuple(self.types.items()))
            return interpret.described(self, statements)
        finally:
            self.types, self.values = saved

    def call(self, procedure: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        """Call a stored procedure by name."""
        return calls.call(self, procedure, parameters)

    def begin(self, name: str, isolation: Isolation) -> Iterator[Outcome]:
        """Begin a transaction."""
        if isolation is not Isolation.CURRENT:
            self.isolation = isolation
        yield from self.begin_transaction(name)

    def commit(self, name: str) -> Iterator[Outcome]:
        """Commit."""
        del name  # SQL Server does not look at it either
        yield from self.commit_transaction()

    def rollback(self, name: str) -> Iterator[Outcome]:
        """Roll back, whole or to a savepoint."""
        yield from self.rollback_transaction(name)

    def save(self, name: str) -> Iterator[Outcome]:
        """Set a savepoint."""
        self.set_savepoint(name)
        yield from ()

    def begin_transaction(self, name: str = "") -> Iterator[Outcome]:
        """BEGIN TRANSACTION: the first begins one, the others count."""
        self.trancount += 1
        if self.transaction is None:
            self.transaction = self.engine.new_transaction(self, name=name)
            yield Changed(Change.BEGUN, self.transaction.descriptor, b"")

    def commit_transaction(self) -> Iterator[Outcome]:
        """COMMIT; raises 3902, and 3930 where the transaction can only be rolled back."""
        if self.transaction is None:
            raise error(3902)
        if self.transaction.is_doomed:
            raise error(3930)
        self.trancount -= 1
        if not self.trancount:
            self.finish_reading()
            transaction, self.transaction = self.transaction, None
            transactions.commit(self, transaction)
            yield Changed(Change.COMMITTED, b"", transaction.descriptor)

    def rollback_transaction(self, name: str = "") -> Iterator[Outcome]:
        """ROLLBACK, whole or to a savepoint; raises 3903 and 6401."""
        if self.transaction is None:
            raise error(3903)
        self.finish_reading()
        key = name.lower()
        for place, (savepoint, undo, records) in reversed(list(enumerate(self.transaction.savepoints))):
            if key and savepoint == key:
                transactions.rollback(self, self.transaction, undo, records)
                del self.transaction.savepoints[place + 1 :]
                return
        if key and key != self.transaction.name.lower():
            raise error(6401, name)
        yield self.abort()

    def abort(self) -> Changed:
        """Roll the whole transaction back."""
        transaction = self.transaction
        assert transaction is not None  # noqa: S101  # callers looked
        self.finish_reading()
        transactions.rollback(self, transaction)
        self.transaction, self.trancount = None, 0
        transactions.release(self)
        return Changed(Change.ROLLED_BACK, b"", transaction.descriptor)

    def set_savepoint(self, name: str) -> None:
        """SAVE TRANSACTION; raises 628."""
        if self.transaction is None:
            raise error(628)
        self.transaction.savepoints.append((name.lower(), len(self.transaction.undo), len(self.transaction.records)))

    def ensure_transaction(self) -> Iterator[Outcome]:
        """Under IMPLICIT_TRANSACTIONS a statement begins one."""
        if self.implicit_transactions and self.transaction is None:
            yield from self.begin_transaction()

    def wait_for(self, resource: Resource) -> None:
        """Wait until a lock could be had; raises 1222, 1205."""
        self.engine.locks.acquire(
            self.id,
            resource,
            transactions.wait_mode(resource),
            timeout=self.lock_timeout,
            priority=self.deadlock_priority,
            keep=False,
        )

    def finish_reading(self) -> None:
        """Rows of a result that are still in SQLite come into memory, so that another statement may run."""
        if self.rows is not None:
            self.rows.drain()
            self.rows = None

    def plan_key(self, node: tree.Statement) -> tuple[object, ...]:
        """What a plan of a statement depends on."""
        del node
        return (
            self._database, self.engine.catalog.version, self.temporary_version, self.isolation is Isolation.READ_UNCOMMITTED,
            tuple(self.types.items()),
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
        """End what runs; called from another thread."""
        self.connection.is_cancelled = True
        self.connection.raw.interrupt()
        self.engine.locks.cancel(self.id)

    def close(self) -> None:
        """Roll back what is open, let go of locks."""
        if self.engine.sessions.pop(self.id, None) is None:
            return
        if self.rows is not None:
            self.rows.close()
            self.rows = None
        if self.transaction is not None:
            self.abort()
        self.engine.locks.release_all(self.id)
        self.connection.raw.close()
