"""A session: statements are compiled once, and run one after the other; `reads.py` has what a query reads and waits for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from tailrace_standins.db2.engine import (
    administration,
    changing,
    convert,
    defining,
    parsing,
    reads,
    rights,
    tree,
    types,
)
from tailrace_standins.db2.engine.catalog import Database, Table
from tailrace_standins.db2.engine.changing import ChangePlan
from tailrace_standins.db2.engine.compiling.queries import Queries
from tailrace_standins.db2.engine.compiling.scope import Plan, Scope, Source, Typed
from tailrace_standins.db2.engine.connection import Connection
from tailrace_standins.db2.engine.log import Record, Transaction
from tailrace_standins.db2.engine.reads import Read
from tailrace_standins.db2.session import Affected, Column, EncodedRows, Ended, Isolation, Login, Result, Rows, SqlError
from tailrace_standins.db2.values import SqlType, Value
from tailrace_standins.storage import transactions
from tailrace_standins.storage.locks import EXCLUSIVE, SHARED
from tailrace_standins.storage.sessions import Stored
from tailrace_standins.storage.store import Store
from tailrace_standins.storage.waiting import lock

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.server import Engine

_ISOLATIONS: Final = {
    "UR": Isolation.UNCOMMITTED_READ, "CS": Isolation.CURSOR_STABILITY, "RS": Isolation.READ_STABILITY,
    "RR": Isolation.REPEATABLE_READ, "": None, "RESET": None,
}  # fmt: skip
_SHOWN: Final[dict[Isolation | None, str]] = {level: name for name, level in _ISOLATIONS.items() if level is not None}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement with what it was compiled to, and for which definitions (`Database.version`) and schema."""

    sql: str
    tree: tree.Statement
    plan: Plan | ChangePlan | None
    columns: tuple[Column, ...]
    parameters: tuple[Column, ...]
    version: int
    schema: str


class EngineSession:
    """A session in a database; see `storage.sessions.Session` and `db2.session.Session`."""

    def __init__(self, engine: Engine, number: int, login: Login, database: Database) -> None:
        self._engine = engine
        self._number = number
        self.login = login
        self.database = database
        self.schema = login.user.upper()
        self.connection: Any = Connection(engine.path, self._own)
        self.transaction: Transaction | None = None
        self.lock_timeout = engine.lock_timeout
        self.deadlock_priority = 0
        self.is_clients = True
        self._isolation: Isolation | None = None
        self._moment = ""
        self._is_gone: Callable[[], bool] | None = None
        self._readers: list[Connection] = []
        self._reading: list[Connection] = []

    @property
    def id(self) -> int:
        """The application handle."""
        return self._number

    @property
    def store(self) -> Store[Record]:
        """The server's."""
        return self._engine.store

    @property
    def user(self) -> str:
        """SESSION_USER."""
        return self.login.user.upper()

    def now(self) -> str:
        """CURRENT TIMESTAMP, as stored."""
        return self._engine.now()

    def compiler(self) -> Queries:
        """A compiler for the next statement."""
        return Queries(self.database, self.schema, self._engine.functions)

    def named(self, names: tree.Names) -> tuple[str, str]:
        """Schema and name of a table."""
        return self.compiler().named(names)

    def prepare(self, sql: str) -> Prepared:
        """Compile a statement."""
        statement, markers = parsing.parsed(sql)
        compiler = self.compiler()
        plan: Plan | ChangePlan | None = None
        columns: tuple[Column, ...] = ()
        if isinstance(statement, tree.SelectStatement):
            plan = compiler.plan(statement.query)
            columns = plan.described()
        elif isinstance(statement, tree.Insert):
            plan = changing.insert_plan(compiler, statement)
        elif isinstance(statement, tree.Update | tree.Delete):
            plan = changing.change_plan(compiler, statement)
        elif isinstance(statement, tree.CallProcedure):
            for each in statement.arguments:
                compiler.value(each, Scope(), types.varchar(4000))
        self._check_rights(plan)
        if markers > len(compiler.parameters):
            raise SqlError(-418, "42610")
        parameters = tuple(Column("", compiler.parameters[number]) for number in range(markers))
        return Prepared(sql, statement, plan, columns, parameters, self.database.version, self.schema)

    def _check_rights(self, plan: Plan | ChangePlan | None) -> None:
        """Raises `SqlError` -551 if the user may not do this."""
        if self.user in self.database.administrators or plan is None:
            return
        read = plan.tables if isinstance(plan, Plan) else plan.plan.tables
        if isinstance(plan, ChangePlan):
            self.allow(plan.kind.upper(), plan.table)
            read = tuple(table for table in read if table.id != plan.table.id)
        for table in read:
            self.allow("SELECT", table)

    def allow(self, privilege: str, table: Table) -> None:
        """Raises `SqlError` -551 if the user may not do this with a table."""
        rights.check(self.database, self.user, privilege, table)

    def execute(self, statement: Any, parameters: Sequence[Value], isolation: Isolation) -> Result:
        """Run a statement for the wire, which takes encoded rows."""
        return self._execute(cast("Prepared", statement), parameters, isolation, encoded=True)

    def _execute(
        self, prepared: Prepared, parameters: Sequence[Value], isolation: Isolation, *, encoded: bool
    ) -> Result:
        if (prepared.version, prepared.schema) != (self.database.version, self.schema):
            prepared = self.prepare(prepared.sql)
        if not isinstance(prepared.tree, tree.Unit | tree.Set | tree.Nothing):
            self.begin()
        self._moment = self.now()  # the special registers have one time for a statement
        try:
            values = {
                f"p{number}": convert.encoded(value, column.type)
                for number, (value, column) in enumerate(zip(parameters, prepared.parameters, strict=True))
            }
            if isinstance(prepared.plan, Plan):
                return Rows(prepared.columns, self._read(prepared, prepared.plan, values, isolation, encoded=encoded))
            return self._run(prepared, values)
        except SqlError as error:
            if error.ends_transaction:
                self.rollback()
            raise

    def _read(
        self, prepared: Prepared, plan: Plan, values: dict[str, Stored], isolation: Isolation, *, encoded: bool
    ) -> Generator[Sequence[tuple[Value, ...]] | EncodedRows, None, None]:
        node = cast("tree.SelectStatement", prepared.tree)
        level = _ISOLATIONS[node.isolation] or self._isolation or isolation
        read = Read(plan, {**values, **self._registers(plan.registers)}, level, node.resolution)
        found = self._engine.shortcuts.find(self, prepared, read) if encoded else None
        if found is None:
            return reads.rows(self, read)
        return reads.rows(self, read, lambda: self._engine.shortcuts.rows(self, prepared, read, found))

    def _run(self, prepared: Prepared, values: dict[str, Stored]) -> Result:
        node, plan = prepared.tree, prepared.plan
        if isinstance(plan, ChangePlan):
            return Affected(changing.run(self, plan, values))
        if isinstance(node, tree.Unit):
            return self._unit(node)
        if isinstance(node, tree.Set):
            self._set(node)
        elif isinstance(node, tree.CallProcedure):
            arguments = [self.evaluated(each, types.varchar(4000), values=values) for each in node.arguments]
            self._engine.procedure(self, node.names, arguments)
        elif isinstance(node, tree.Truncate):
            changing.truncate(self, self.found(node.names, "DELETE"))
        elif isinstance(node, tree.LockTable):
            table = self.found(node.names, "SELECT")
            lock(self, ("table", table.id), SHARED if node.mode == "SHARE" else EXCLUSIVE, keep=True)
        elif isinstance(node, tree.CreateSchema):
            if node.name in self.database.schemas:
                raise SqlError(-601, "42710", node.name, "SCHEMA")
            self.database.schemas.add(node.name)
            self.database.version += 1
        else:
            self._define(node)
        return Affected()

    def found(self, names: tree.Names, privilege: str) -> Table:
        """A table with which the user may do this; raises `SqlError` -204, -551."""
        table = self.database.find(*self.named(names))
        self.allow(privilege, table)
        return table

    def _define(self, node: tree.Statement) -> None:
        if isinstance(node, tree.CreateTable):
            defining.create_table(self, node)
        elif isinstance(node, tree.Rights):
            administration.change_rights(self, node)
        elif isinstance(node, tree.RunStatistics):
            administration.collect_statistics(self, self.found(node.names, "CONTROL"))
        elif isinstance(node, tree.AlterTable):
            defining.alter_table(self, node)
        elif isinstance(node, tree.CreateIndex):
            defining.create_index(self, node)
        elif isinstance(node, tree.Drop):
            defining.drop(self, node)
        elif isinstance(node, tree.Rename):
            defining.rename(self, node)
        elif isinstance(node, tree.Comment):
            defining.comment(self, node)

    def run(self, sql: str, *parameters: Value) -> list[tuple[Value, ...]]:
        """Prepare and run a statement, with all rows of its result: for the server's own work, and for tests."""
        result = self._execute(self.prepare(sql), parameters, Isolation.CURSOR_STABILITY, encoded=False)
        if isinstance(result, Rows):
            return [tuple(row) for piece in result.pieces if not isinstance(piece, EncodedRows) for row in piece]
        return []

    def _registers(self, names: Sequence[str]) -> dict[str, Stored]:
        now = self._moment or self.now()
        known = {
            "TIMESTAMP": now, "DATE": now[:10], "TIME": now[11:19], "SERVER": self.database.name, "SCHEMA": self.schema,
            "SQLID": self.schema, "USER": self.user, "PATH": '"SYSIBM","SYSFUN"',
            "TIMEZONE": self._engine.timezone(), "ISOLATION": _SHOWN.get(self._isolation, ""),
            "LOCK TIMEOUT": self.lock_timeout // 1000 if self.lock_timeout > 0 else self.lock_timeout,
        }  # fmt: skip
        return {f"r_{name.replace(' ', '_').lower()}": known[name] for name in names}

    def reader(self) -> Connection:
        """A connection for an open cursor; `done` takes it back."""
        reader = self._readers.pop() if self._readers else Connection(self._engine.path, self._own)
        if self._is_gone is not None:
            reader.watch(self._is_gone)
        self._reading.append(reader)
        return reader

    def added(self, storage: str, rows: int) -> None:
        """Rows were added to a table past the log (`db2.bulk`)."""
        self._engine.shortcuts.added(storage, rows)

    def done(self, reader: Connection) -> None:
        """A cursor's connection is free."""
        self._reading.remove(reader)
        self._readers.append(reader)

    def visible_rows(self, plan: Plan, values: dict[str, Stored]) -> list[tuple[Stored, ...]]:
        """The rows of a plan as they are stored, on the connection that writes."""
        return reads.visible_rows(self.connection, self, plan, {**values, **self._registers(plan.registers)})

    def evaluated(
        self,
        node: tree.Expression,
        of: SqlType,
        known: list[tuple[str, Typed]] | None = None,
        values: dict[str, Stored] | None = None,
    ) -> Stored:
        """The value of an expression as a type; `known` are columns that it may use, as parameters among `values`."""
        compiler = self.compiler()
        typed = compiler.cast(compiler.value(node, Scope(sources=[Source("", "", known or [])]), of), of)
        found = self.connection.rows(f"SELECT {typed.sql}", {**(values or {}), **self._registers(compiler.registers)})
        return found[0][0]

    def _own(self, name: str, *arguments: Stored) -> Stored:
        schema, _, function = name.partition(".")
        return self._engine.functions[schema, function](self, *arguments)

    def call(self, procedure: str, parameters: Sequence[Value]) -> Sequence[Rows]:
        """A procedure of the catalogue by name."""
        return self._engine.result_sets(self, procedure, parameters)

    def _set(self, node: tree.Set) -> None:
        value = node.value
        text = str(self.evaluated(value, types.varchar(128))).rstrip() if value is not None else ""
        if node.name in {"SCHEMA", "SQLID"}:
            self.schema = text
        elif node.name == "ISOLATION":
            if text not in _ISOLATIONS:
                raise SqlError(-104, "42601", text, "ISOLATION", "CS")
            self._isolation = _ISOLATIONS[text]
        elif node.name == "LOCK TIMEOUT":
            seconds = int(text) if text else None
            self.lock_timeout = self._engine.lock_timeout if seconds is None else max(seconds * 1000, -1)

    def _unit(self, node: tree.Unit) -> Affected:
        if node.action == "COMMIT":
            self.commit()
            return Affected(ended=Ended.COMMITTED)
        if node.action == "ROLLBACK":
            self.rollback()
            return Affected(ended=Ended.ROLLED_BACK)
        transaction = self.begin()
        if node.action == "SAVEPOINT":
            transactions.set_savepoint(self, transaction, node.savepoint)
        elif node.action == "ROLLBACK TO":
            savepoints = transaction.savepoints
            name = node.savepoint or (savepoints[-1].name if savepoints else "")
            if not transactions.rollback_to(self, transaction, name):
                raise SqlError(-880, "3B001", name)
        else:
            known = [place for place, each in enumerate(transaction.savepoints) if each.name == node.savepoint]
            if not known:
                raise SqlError(-880, "3B001", node.savepoint)
            del transaction.savepoints[known[-1] :]
        return Affected()

    def begin(self) -> Transaction:
        """The open transaction, or a new one."""
        if self.transaction is None:
            self.transaction = self.store.new_transaction(self)
        return self.transaction

    def commit(self) -> None:
        """COMMIT."""
        if self.transaction is not None:
            try:
                self._engine.commits.commit(self, self.transaction)
            finally:
                self.transaction = None

    def rollback(self) -> None:
        """ROLLBACK."""
        if self.transaction is not None:
            transactions.rollback(self, self.transaction)
            self.transaction = None
            transactions.release(self)

    def watch(self, is_gone: Callable[[], bool]) -> None:
        """Interrupt what runs when the client has gone."""
        self._is_gone = is_gone
        self.connection.watch(is_gone)

    def cancel(self) -> None:
        """Interrupt what runs."""
        self.store.locks.cancel(self.id)
        for connection in [self.connection, *self._reading]:
            connection.raw.interrupt()

    def close(self) -> None:
        """Roll back and leave."""
        for connection in [self.connection, *self._readers]:
            connection.watch(None)  # what is rolled back is so to its end
        try:
            self.rollback()
        finally:
            self._engine.sessions.pop(self.id, None)
            for connection in [self.connection, *self._readers]:
                connection.raw.close()
