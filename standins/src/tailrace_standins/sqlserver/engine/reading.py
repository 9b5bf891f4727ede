"""Executes queries: plans, locks of readers, system views, rows in pieces.

Source: "SET TRANSACTION ISOLATION LEVEL",
https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import access, stored, tree, types
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.reading_locks import lock_read, parameters_of
from tailrace_standins.sqlserver.engine.scope import Plan, ViewRead
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.sqlserver.session import ArrowRows, ResultColumn
from tailrace_standins.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


PIECE: Final = 4096
_KEPT_PLANS: Final = 16


class Rows:
    """The rows of a result, decoded, in pieces; `drain` takes the rest into memory."""

    def __init__(self, session: EngineSession, cursor: sqlite3.Cursor, columns: Sequence[ResultColumn]) -> None:
        """Read the first piece immediately, so that an error is raised before the result begins."""
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
    """The plan of a statement's query, cached for each state of the catalog."""
    key = session.plan_key(node)
    found = node.plans.get(key)
    if not isinstance(found, Plan):
        found = QueryCompiler(session).plan(query)
        if len(node.plans) >= _KEPT_PLANS:
            node.plans.clear()
        node.plans[key] = found
    return found


def prepare(session: EngineSession, plan: Plan) -> dict[str, Stored]:
    """Do the locks, views and checks before a plan runs; returns its parameters."""
    session.finish_reading()
    session.now = None
    for read in plan.reads:
        access.check_read(session, read)
        lock_read(session, read, plan)
    for view in plan.views:
        access.check_view(session, view)
        fill(session, view)
    for check in plan.checks:
        values = session.connection.rows(check.sql, parameters_of(session, plan))[0]
        check.call(
            session, check.database, *(stored.decoded(v, of) for v, of in zip(values, check.types, strict=False))
        )  # type: ignore[operator]
    return parameters_of(session, plan)


class AnsweredRows:
    """The rows of a result that a feature returns (`SystemObjects.answers`), for which SQLite has no open cursor."""

    def __init__(self, session: EngineSession, found: Iterator[ArrowRows]) -> None:
        self._session = session
        self._found = found
        self.count = 0

    def pieces(self) -> Iterator[ArrowRows]:
        """The rows."""
        for piece in self._found:
            self.count += piece.batch.num_rows
            self._session.row_count = self.count
            yield piece


def run(session: EngineSession, plan: Plan, query: tree.Query) -> Rows | AnsweredRows:
    """Run a plan of a query."""
    values = prepare(session, plan)
    for answer in () if session.wants_values else session.engine.system.answers:
        if (found := answer(session, query, plan)) is not None:
            session.engine.system.answered += 1
            return AnsweredRows(session, found)
    rows = Rows(session, session.connection.execute(plan.sql, values), plan.columns)
    session.rows = rows
    return rows


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
