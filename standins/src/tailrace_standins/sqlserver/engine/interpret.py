"""Executes the statements of a batch: control flow, variables, errors; other statements are dispatched to their modules.

An error ends its statement and the batch continues, or it ends the batch, as in SQL Server. Within TRY it continues in
CATCH.

Sources: "TRY...CATCH", https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql;
"SET XACT_ABORT", https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tailrace_standins.sqlserver.engine import (
    alter,
    altered_indexes,
    calls,
    databases,
    ddl,
    dml,
    granting,
    options,
    reading,
    security,
    tree,
    types,
)
from tailrace_standins.sqlserver.engine.connection import CANCELLED
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.failures import failed
from tailrace_standins.sqlserver.engine.raising import failing, print_message, raiserror, throw
from tailrace_standins.sqlserver.engine.session_statements import transaction, use, wait_for
from tailrace_standins.sqlserver.engine.variables import assign, assigns, declare, select_into_variables
from tailrace_standins.sqlserver.session import (
    Affected,
    Outcome,
    ResultSet,
    ReturnStatus,
    SqlError,
)

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


class _LeaveError(Exception):
    """BREAK, CONTINUE or RETURN, as an exception that leaves loops and blocks."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def batch(session: EngineSession, statements: Sequence[tree.Statement]) -> Iterator[Outcome]:
    """Run a batch; a transaction that can't be committed is rolled back at its end (3998)."""
    before = set(session.temporary)
    with contextlib.suppress(_LeaveError):
        try:
            yield from _statements(session, statements)
        finally:
            session.errors.clear()
            session.try_depth = 0
            for name in [name for name in session.temporary if name.startswith("@") and name not in before]:
                ddl.drop_temporary(session, name)
    if session.transaction is not None and session.transaction.is_doomed:
        yield session.abort()
        raise error(3998)


def _statements(session: EngineSession, statements: Sequence[tree.Statement]) -> Iterator[Outcome]:
    for statement in statements:
        try:
            _check_cancelled(session)
            yield from run(session, statement)
            if not isinstance(statement, tree.If | tree.While | tree.Block | tree.Try | tree.Raiserror):
                session.last_error = 0
        except SqlError as problem:
            yield from failed(session, statement, problem)


def _check_cancelled(session: EngineSession) -> None:
    if session.connection.is_cancelled:
        raise SqlError(CANCELLED, "Operation cancelled by user.", severity=11)


def run(session: EngineSession, statement: tree.Statement) -> Iterator[Outcome]:
    """One statement."""
    yield from _RUNNERS[type(statement)](session, statement)


def _select(session: EngineSession, statement: tree.SelectStatement) -> Iterator[Outcome]:
    query = statement.query
    if session.implicit_transactions and (not isinstance(query, tree.Select) or query.sources):
        yield from session.ensure_transaction()
    if isinstance(query, tree.Select) and query.into:
        yield from dml.select_into(session, statement, query)
        return
    if assigns(statement):
        yield from select_into_variables(session, statement)
        return
    plan = reading.planned(session, statement, query)
    rows = reading.run(session, plan, query)
    yield ResultSet(plan.columns, rows.pieces())
    session.finish_reading()
    session.row_count = rows.count


def _if(session: EngineSession, statement: tree.If) -> Iterator[Outcome]:
    yield from _statements(
        session, statement.then if reading.holds(session, statement, statement.condition) else statement.otherwise
    )


def _while(session: EngineSession, statement: tree.While) -> Iterator[Outcome]:
    while reading.holds(session, statement, statement.condition):
        try:
            yield from _statements(session, statement.body)
        except _LeaveError as leave:
            if leave.kind == "RETURN":
                raise
            if leave.kind == "BREAK":
                return


def _block(session: EngineSession, statement: tree.Block) -> Iterator[Outcome]:
    yield from _statements(session, statement.body)


def _try(session: EngineSession, statement: tree.Try) -> Iterator[Outcome]:
    depth = session.try_depth
    session.try_depth = depth + 1
    try:
        yield from _statements(session, statement.body)
    except SqlError as problem:
        session.try_depth = depth
        if problem.number == CANCELLED or problem.severity >= 20:
            raise
        session.errors.append(problem)
        yield from _statements(session, statement.catch)
        session.errors.pop()
    finally:
        session.try_depth = depth


def _return(session: EngineSession, statement: tree.Return) -> Iterator[Outcome]:
    if statement.value is not None:
        yield ReturnStatus(int(reading.evaluate(session, statement, 0, statement.value, types.INT) or 0))
    raise _LeaveError("RETURN")


def _leave(_session: EngineSession, statement: tree.Leave) -> Iterator[Outcome]:
    yield from failing(_LeaveError(statement.kind))


def _ignored(_session: EngineSession, _statement: tree.Ignored) -> Iterator[Outcome]:
    yield from ()


def _counted(
    work: Callable[[EngineSession, Any], Iterator[Outcome]],
) -> Callable[[EngineSession, Any], Iterator[Outcome]]:
    """Execute DML or DDL: with IMPLICIT_TRANSACTIONS it begins a transaction; with NOCOUNT its count is not sent."""

    def runner(session: EngineSession, statement: Any) -> Iterator[Outcome]:
        yield from session.ensure_transaction()
        if session.transaction is not None and session.transaction.is_doomed:
            raise error(3930)
        for outcome in work(session, statement):
            if isinstance(outcome, Affected) and outcome.count is not None:
                session.row_count = outcome.count
                yield Affected(None, outcome.verb) if session.nocount else outcome
            else:
                yield outcome

    return runner


_RUNNERS: Final[dict[type[tree.Statement], Callable[[EngineSession, Any], Iterator[Outcome]]]] = {
    tree.SelectStatement: _select,
    tree.Declare: declare,
    tree.Assign: assign,
    tree.SetOption: options.set_option,
    tree.If: _if,
    tree.While: _while,
    tree.Block: _block,
    tree.Try: _try,
    tree.Throw: throw,
    tree.Raiserror: raiserror,
    tree.Print: print_message,
    tree.Return: _return,
    tree.Leave: _leave,
    tree.Use: use,
    tree.WaitFor: wait_for,
    tree.Transaction: transaction,
    tree.Ignored: _ignored,
    tree.Execute: calls.execute,
    tree.Insert: _counted(dml.insert),
    tree.Update: _counted(dml.update),
    tree.Delete: _counted(dml.delete),
    tree.CreateTable: _counted(ddl.create_table),
    tree.CreateIndex: _counted(ddl.create_index),
    tree.AlterIndex: _counted(altered_indexes.alter_index),
    tree.CreateSchema: _counted(databases.create_schema),
    tree.CreateDatabase: databases.create_database,
    tree.Drop: _counted(ddl.drop),
    tree.AlterTable: _counted(alter.alter_table),
    tree.AlterDatabase: databases.alter_database,
    tree.Truncate: _counted(ddl.truncate),
    tree.CreateLogin: security.create_login,
    tree.AlterLogin: security.alter_login,
    tree.CreateUser: _counted(security.create_user),
    tree.CreateRole: _counted(security.create_role),
    tree.AlterRole: _counted(security.alter_role),
    tree.DropPrincipal: _counted(security.drop_principal),
    tree.Grant: _counted(granting.grant),
}
