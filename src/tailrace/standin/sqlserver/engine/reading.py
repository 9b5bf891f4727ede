"""Running a query: plans, locks of readers, system views, rows in pieces.

Source: "SET TRANSACTION ISOLATION LEVEL",
https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tailrace.standin.sqlserver.engine import stored, tree, types
from tailrace.standin.sqlserver.engine.compile_queries import LATEST, QueryCompiler
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.locks import EXCLUSIVE, INTENT_SHARED, SCHEMA_STABILITY, SHARED, UPDATE
from tailrace.standin.sqlserver.engine.scope import Plan, TableRead, ViewRead
from tailrace.standin.sqlserver.engine.stored import Stored
from tailrace.standin.sqlserver.session import Isolation, ResultColumn
from tailrace.standin.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

PIECE: Final = 4096
_KEPT_PLANS: Final = 16
_FOREIGN: Final = "((b<0 AND b<>:t) OR (e<0 AND e<>:t))"


class Rows:
    """The rows of a result, decoded, in pieces; `drain` takes the rest into memory."""

    def __init__(self, session: EngineSession, cursor: sqlite3.Cursor, columns: Sequence[ResultColumn]) -> None:
        """The first piece is read at once, so that an error comes before the result."""
        self._session = session
        self._cursor: sqlite3.Cursor | None = cursor
        self._decoders = [stored.decoder(column.type) if column.type.name != "null" else None for column in columns]
        self._pieces: list[list[tuple[Value, ...]]] = []
        self._count = 0
        self._read()

    def _read(self) -> None:
        if self._cursor is None:
            return
        rows = self._session.connection.fetch(self._cursor, PIECE)
        if len(rows) < PIECE:
            self.close()
        if rows:
            self._count += len(rows)
            self._pieces.append(decoded_rows(rows, self._decoders))

    def drain(self) -> None:
        """Read all that is left."""
        while self._cursor is not None:
            self._read()

    def close(self) -> None:
        """Let SQLite go."""
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None

    def pieces(self) -> Iterator[list[tuple[Value, ...]]]:
        """The rows."""
        while self._pieces or self._cursor is not None:
            if not self._pieces:
                self._read()
                continue
            self._session.row_count = self._count
            yield self._pieces.pop(0)

    @property
    def count(self) -> int:
        """Rows read so far."""
        return self._count


def decoded_rows(
    rows: list[tuple[Stored, ...]], decoders: Sequence[Callable[[Stored], Value] | None]
) -> list[tuple[Value, ...]]:
    """Stored values as those of `values.py`, column by column."""
    if not any(decoders):
        return rows
    columns: list[Sequence[Value]] = list(zip(*rows, strict=True))
    for place, decode in enumerate(decoders):
        if decode is not None:
            columns[place] = [None if value is None else decode(value) for value in columns[place]]
    return list(zip(*columns, strict=True))


def planned(session: EngineSession, node: tree.Statement, query: tree.Query) -> Plan:
    """The plan of a statement's query, made once for each state of the catalog."""
    key = session.plan_key(node)
    found = node.plans.get(key)
    if not isinstance(found, Plan):
        found = QueryCompiler(session).plan(query)
        if len(node.plans) >= _KEPT_PLANS:
            node.plans.clear()
        node.plans[key] = found
    return found


def prepare(session: EngineSession, plan: Plan) -> dict[str, Stored]:
    """Locks, views and checks before a plan runs; gives its parameters."""
    session.finish_reading()
    session.now = ""
    for read in plan.reads:
        _lock(session, read, plan)
    for view in plan.views:
        fill(session, view)
    for check in plan.checks:
        values = session.connection.rows(check.sql, _values(session, plan))[0]
        check.call(
            session, check.database, *(stored.decoded(v, of) for v, of in zip(values, check.types, strict=False))
        )  # type: ignore[operator]
    return _values(session, plan)


def run(session: EngineSession, plan: Plan) -> Rows:
    """Run a plan."""
    values = prepare(session, plan)
    rows = Rows(session, session.connection.execute(plan.sql, values), plan.columns)
    session.rows = rows
    return rows


def _values(session: EngineSession, plan: Plan) -> dict[str, Stored]:
    values: dict[str, Stored] = {parameter: session.values[name] for name, parameter in plan.variables.items()}
    values["s"], values["t"] = view_of(session)
    return values


def view_of(session: EngineSession) -> tuple[int, int]:
    """What a reader sees: the last commit, and its own transaction's mark."""
    transaction = session.transaction
    seen = LATEST
    if transaction is not None and transaction.snapshot is not None:
        seen = transaction.snapshot
    return seen, transaction.mark if transaction is not None else 0


def _lock(session: EngineSession, read: TableRead, plan: Plan) -> None:
    locks, resource = session.engine.locks, ("table", read.table.id)
    if read.hints & {"NOLOCK", "READUNCOMMITTED"}:
        _acquire(session, resource, SCHEMA_STABILITY, keep=False)
        return
    if session.isolation is Isolation.SNAPSHOT and session.transaction is not None:
        _acquire(session, resource, SCHEMA_STABILITY, keep=False)
        _snapshot(session, read)
        if not read.hints & {"XLOCK", "TABLOCKX", "UPDLOCK", "TABLOCK", "HOLDLOCK", "READCOMMITTEDLOCK"}:
            return
    keep = session.transaction is not None
    mode = _table_mode(session, read)
    _acquire(session, resource, mode, keep=keep and mode in {SHARED, UPDATE, EXCLUSIVE})
    if locks.holds(session.id, resource, EXCLUSIVE) or (_is_versioned(session, read) and mode == INTENT_SHARED):
        return
    if "READPAST" not in read.hints:
        _wait_for_rows(session, read, plan)
    if (
        keep
        and mode == INTENT_SHARED
        and (session.isolation in _HOLDING or read.hints & {"UPDLOCK", "XLOCK", "HOLDLOCK", "REPEATABLEREAD"})
    ):
        _lock_rows(session, read, plan)


_HOLDING: Final = {Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE}


def _is_versioned(session: EngineSession, read: TableRead) -> bool:
    """Whether READ COMMITTED reads versions here instead of waiting."""
    versioned = session.isolation is Isolation.READ_COMMITTED and read.database.is_on("READ_COMMITTED_SNAPSHOT")
    return versioned and not read.hints & {
        "READCOMMITTEDLOCK",
        "UPDLOCK",
        "XLOCK",
        "HOLDLOCK",
        "SERIALIZABLE",
        "REPEATABLEREAD",
    }


def _table_mode(session: EngineSession, read: TableRead) -> str:
    """The table's lock.

    Without an index seek the rows of readers that hold locks are locked as a table (as after escalation).
    """
    if "TABLOCKX" in read.hints or {"TABLOCK", "XLOCK"} <= read.hints:
        return EXCLUSIVE
    if "TABLOCK" in read.hints:
        return SHARED
    holding = session.isolation in _HOLDING or read.hints & {"HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD"}
    serializable = session.isolation is Isolation.SERIALIZABLE or read.hints & {"HOLDLOCK", "SERIALIZABLE"}
    if read.seeks and not (serializable and not read.hints & {"UPDLOCK", "XLOCK"}):
        return INTENT_SHARED
    if "XLOCK" in read.hints:
        return EXCLUSIVE
    if "UPDLOCK" in read.hints:
        return UPDATE
    return SHARED if holding else INTENT_SHARED


def _acquire(session: EngineSession, resource: tuple[object, ...], mode: str, *, keep: bool) -> None:
    session.engine.locks.acquire(
        session.id, resource, mode, timeout=session.lock_timeout, priority=session.deadlock_priority, keep=keep
    )


def _snapshot(session: EngineSession, read: TableRead) -> None:
    transaction = session.transaction
    assert transaction is not None  # noqa: S101  # the caller looked
    if not read.database.is_on("ALLOW_SNAPSHOT_ISOLATION") and read.database.id > 4:
        raise error(3952, read.database.name)
    if transaction.snapshot is None:
        transaction.snapshot = session.engine.take_snapshot(session)


def _wait_for_rows(session: EngineSession, read: TableRead, plan: Plan) -> None:
    """READ COMMITTED with locks: rows that another transaction changed are waited for.

    Those are all rows of the table, or those that a seek finds.

    """
    where = "".join(f" AND {seek.sql}" for seek in read.seeks)
    mark = view_of(session)[1]
    while _others_wrote(session, read.table.storage):
        values = {**_values(session, plan), "t": mark}
        found = session.connection.rows(
            f"SELECT b, e FROM {read.table.storage} WHERE {_FOREIGN}{where} LIMIT 1", values
        )
        if not found:
            return
        owner = next(number for number in found[0] if number < 0 and number != mark)
        session.wait_for(("transaction", -owner))


def _others_wrote(session: EngineSession, storage: str) -> bool:
    """Whether an open transaction of another session changed the table: otherwise there is nothing to look for."""
    others = [other.transaction for other in list(session.engine.sessions.values()) if other is not session]
    return any(storage in transaction.storages for transaction in others if transaction is not None)


def _lock_rows(session: EngineSession, read: TableRead, plan: Plan) -> None:
    where = "".join(f" AND {seek.sql}" for seek in read.seeks)
    mode = EXCLUSIVE if "XLOCK" in read.hints else UPDATE if "UPDLOCK" in read.hints else SHARED
    sql = f"SELECT DISTINCT r FROM {read.table.storage} WHERE b<=:s AND (b>0 OR b=:t) AND (e>:s OR (e<0 AND e<>:t)){where}"
    for (row,) in session.connection.rows(sql, _values(session, plan)):
        _acquire(session, ("row", read.table.id, row), mode, keep=True)


def fill(session: EngineSession, read: ViewRead) -> None:
    """Put a system view's rows where the plan reads them."""
    version = session.engine.catalog.version
    if not read.view.is_live and session.filled.get(read.storage) == version:
        return
    connection, columns = session.connection, read.view.columns
    if read.storage not in session.filled:
        connection.execute(
            f"CREATE TABLE IF NOT EXISTS {read.storage} ({', '.join(f'c{i}' for i in range(len(columns)))})"
        )
    rows = [
        tuple(stored.encoded(v, of) for v, (_, of) in zip(row, columns, strict=True))
        for row in read.view.rows(session, read.database)
    ]
    connection.execute(f"DELETE FROM {read.storage}")
    connection.many(f"INSERT INTO {read.storage} VALUES ({','.join('?' * len(columns))})", rows)
    session.filled[read.storage] = version


def evaluate(
    session: EngineSession, node: tree.Statement, slot: int, expression: tree.Expression, target: SqlType | None = None
) -> Stored:
    """An expression alone (SET, PRINT, arguments), as a stored value of `target` where that is given."""
    key = (slot, target, *session.plan_key(node))
    plan = node.plans.get(key)
    if not isinstance(plan, Plan):
        wanted = tree.Cast(expression, target) if target is not None else expression
        plan = node.plans[key] = QueryCompiler(session).plan(tree.Select([tree.Item(wanted)]))
    found: Stored = session.connection.rows(plan.sql, prepare(session, plan))[0][0]
    return found


def holds(session: EngineSession, node: tree.Statement, condition: tree.Expression) -> bool:
    """Whether a condition of IF or WHILE holds."""
    case = tree.Case(None, [(condition, tree.Literal(1, types.INT))], tree.Literal(0, types.INT))
    key = ("condition", *session.plan_key(node))
    plan = node.plans.get(key)
    if not isinstance(plan, Plan):
        plan = node.plans[key] = QueryCompiler(session).plan(tree.Select([tree.Item(case)]))
    return bool(session.connection.rows(plan.sql, prepare(session, plan))[0][0])
