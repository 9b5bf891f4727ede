"""Running the statements of a batch: control of flow, variables, errors, and who does the rest.

An error ends its statement and the batch goes on, or ends the batch, as SQL Server does it; inside TRY it goes to
CATCH.

Sources: "TRY...CATCH", https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql;
"SET XACT_ABORT", https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tailrace.standin.sqlserver.engine import alter, calls, databases, ddl, dml, options, reading, tree, types
from tailrace.standin.sqlserver.engine.connection import CANCELLED
from tailrace.standin.sqlserver.engine.errors import UNSUPPORTED, error
from tailrace.standin.sqlserver.engine.raising import failing, print_message, raiserror, throw
from tailrace.standin.sqlserver.engine.session_statements import transaction, use, wait_for
from tailrace.standin.sqlserver.engine.variables import assign, assigns, declare, select_into_variables
from tailrace.standin.sqlserver.session import (
    Affected,
    Failed,
    Outcome,
    ResultColumn,
    ResultSet,
    ReturnStatus,
    SqlError,
)

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession


# Errors that end the batch, not only their statement.
_BATCH: Final = frozenset((
    207, 208, 209, 137, 241, 242, 245, 911, 1087, 1205, 2812, 3902, 3960, 3998, 4104, 4121,
    4701, 8114, 8120, 8169, CANCELLED, UNSUPPORTED,
))  # fmt: skip
_ROLLED_BACK: Final = frozenset((1205, 3960))
_CONVERSIONS: Final = frozenset((241, 245, 8114))  # end the batch and its transaction; in TRY they doom it


class _LeaveError(Exception):
    """BREAK, CONTINUE or RETURN on its way out."""

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
            yield from _failed(session, statement, problem)


def _check_cancelled(session: EngineSession) -> None:
    if session.connection.is_cancelled:
        raise SqlError(CANCELLED, "Operation cancelled by user.", severity=11)


def _failed(session: EngineSession, statement: tree.Statement, problem: SqlError) -> Iterator[Outcome]:
    """The statement ended with an error: what else it ends."""
    if problem is session.ending:
        raise problem
    if problem.line == 1:
        problem.line = statement.line
    session.last_error = problem.number
    session.row_count = 0
    if session.transaction is not None and (
        problem.number in _ROLLED_BACK
        or (not session.try_depth and (session.xact_abort or problem.number in _CONVERSIONS))
    ):
        if not (isinstance(statement, tree.Raiserror) and problem.number not in _ROLLED_BACK):
            yield session.abort()
    elif (
        session.transaction is not None and session.try_depth and (session.xact_abort or problem.number in _CONVERSIONS)
    ):
        session.transaction.is_doomed = True
    is_raised = isinstance(statement, tree.Raiserror)
    ends = (
        problem.number in _BATCH
        or problem.severity >= 20
        or isinstance(statement, tree.Throw)
        or (session.xact_abort and not is_raised)
    )
    if session.try_depth:
        raise problem
    if ends:
        session.ending = problem
        raise problem
    yield Failed(problem)


def run(session: EngineSession, statement: tree.Statement) -> Iterator[Outcome]:
    """One statement."""
    yield from _RUNNERS[type(statement)](session, statement)


def described(session: EngineSession, statements: Sequence[tree.Statement]) -> tuple[ResultColumn, ...]:
    """The columns of the first SELECT; variables that are declared before it are known to it."""
    for statement in statements:
        if isinstance(statement, tree.Declare):
            session.types.update({v.name: v.type for v in statement.variables if v.type is not None})
        if isinstance(statement, tree.SelectStatement) and not assigns(statement):
            return reading.planned(session, statement, statement.query).columns
        if (
            isinstance(statement, tree.Insert | tree.Update | tree.Delete)
            and statement.output
            and not statement.output_into
        ):
            return dml.output_columns(session, statement)
    return ()


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
    """DML and DDL: under IMPLICIT_TRANSACTIONS they begin a transaction; their counts are not told under NOCOUNT."""

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
    tree.CreateSchema: _counted(databases.create_schema),
    tree.CreateDatabase: databases.create_database,
    tree.Drop: _counted(ddl.drop),
    tree.AlterTable: _counted(alter.alter_table),
    tree.AlterDatabase: databases.alter_database,
    tree.Truncate: _counted(ddl.truncate),
}
