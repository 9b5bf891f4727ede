"""Running the statements of a batch: control of flow, variables, errors, and who does the rest.

An error ends its statement and the batch goes on, or ends the batch, as SQL Server does it; inside TRY it goes to
CATCH.

Sources: "TRY...CATCH", https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql;
"SET XACT_ABORT", https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tailrace.standin.sqlserver.engine import alter, calls, convert, ddl, dml, options, reading, tree, types
from tailrace.standin.sqlserver.engine.connection import CANCELLED
from tailrace.standin.sqlserver.engine.errors import UNSUPPORTED, error
from tailrace.standin.sqlserver.session import (
    Affected,
    Failed,
    Notice,
    Outcome,
    ResultColumn,
    ResultSet,
    ReturnStatus,
    SqlError,
)

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession

# Errors that end the batch, not only their statement.
_BATCH: Final = frozenset(
    (
        207,
        208,
        209,
        137,
        241,
        242,
        245,
        911,
        1087,
        1205,
        2812,
        3902,
        3960,
        3998,
        4104,
        4121,
        4701,
        8114,
        8120,
        8169,
        CANCELLED,
        UNSUPPORTED,
    )
)
_ROLLED_BACK: Final = frozenset((1205, 3960))


class _LeaveError(Exception):
    """BREAK, CONTINUE or RETURN on its way out."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def notice(number: int, message: str, severity: int = 0, state: int = 1) -> Notice:
    """A message that is no error."""
    return Notice(number, message, severity, state)


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
        problem.number in _ROLLED_BACK or (session.xact_abort and not session.try_depth)
    ):
        if not (isinstance(statement, tree.Raiserror) and problem.number not in _ROLLED_BACK):
            yield session.abort()
    elif (
        session.transaction is not None
        and session.try_depth
        and (session.xact_abort or problem.number in {241, 245, 8114})
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
        if isinstance(statement, tree.SelectStatement) and not _assigns(statement):
            return reading.planned(session, statement, statement.query).columns
        if (
            isinstance(statement, tree.Insert | tree.Update | tree.Delete)
            and statement.output
            and not statement.output_into
        ):
            return dml.output_columns(session, statement)
    return ()


def _assigns(statement: tree.SelectStatement) -> bool:
    query = statement.query
    return isinstance(query, tree.Select) and (bool(query.into) or any(item.variable for item in query.items))


def _select(session: EngineSession, statement: tree.SelectStatement) -> Iterator[Outcome]:
    query = statement.query
    if session.implicit_transactions and (not isinstance(query, tree.Select) or query.sources):
        yield from session.ensure_transaction()
    if isinstance(query, tree.Select) and query.into:
        yield from dml.select_into(session, statement, query)
        return
    if _assigns(statement):
        yield from _select_into_variables(session, statement)
        return
    plan = reading.planned(session, statement, query)
    rows = reading.run(session, plan)
    yield ResultSet(plan.columns, rows.pieces())
    session.finish_reading()
    session.row_count = rows.count


def _select_into_variables(session: EngineSession, statement: tree.SelectStatement) -> Iterator[Outcome]:
    query = statement.query
    assert isinstance(query, tree.Select)  # noqa: S101  # _assigns looked
    names = [item.variable for item in query.items]
    if not all(names):
        raise SqlError(
            141,
            "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.",
            severity=15,
        )
    for item in query.items:
        if item.variable not in session.types:
            raise error(137, item.variable)
    plan = reading.planned(session, statement, query)
    values = session.connection.rows(plan.sql, reading.prepare(session, plan))
    session.row_count = len(values)
    if values:  # the last row wins
        for name, value, column in zip(names, values[-1], plan.columns, strict=True):
            session.values[name] = convert.converted(value, column.type, session.types[name])
    yield from ()


def _declare(session: EngineSession, statement: tree.Declare) -> Iterator[Outcome]:
    for place, variable in enumerate(statement.variables):
        if variable.table is not None:
            ddl.declare_table(session, variable.name, variable.table)
            continue
        assert variable.type is not None  # noqa: S101  # all others have one
        value = (
            reading.evaluate(session, statement, place, variable.value, variable.type)
            if variable.value is not None
            else None
        )
        session.types[variable.name] = variable.type
        session.values[variable.name] = value
    yield from ()


def _assign(session: EngineSession, statement: tree.Assign) -> Iterator[Outcome]:
    of = session.types.get(statement.name)
    if of is None:
        raise error(137, statement.name)
    session.values[statement.name] = reading.evaluate(session, statement, 0, statement.value, of)
    yield from ()


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


def _throw(session: EngineSession, statement: tree.Throw) -> Iterator[Outcome]:
    if not statement.arguments:
        if not session.errors:
            raise SqlError(
                10704, "To rethrow an error, a THROW statement must be used inside a CATCH block.", severity=15
            )
        raise session.errors[-1]
    number, message, state = (
        reading.evaluate(session, statement, place, argument, of)
        for place, (argument, of) in enumerate(
            zip(statement.arguments, (types.INT, types.text("nvarchar", 2048), types.INT), strict=True)
        )
    )
    yield from _raising(SqlError(number, message, state=state, line=statement.line))


def _raising(problem: Exception) -> Iterator[Outcome]:
    """No outcomes but an error."""
    yield from ()
    raise problem


def _raiserror(session: EngineSession, statement: tree.Raiserror) -> Iterator[Outcome]:
    first, second, third, *rest = statement.arguments
    severity = int(reading.evaluate(session, statement, 1, second, types.INT))
    state = int(reading.evaluate(session, statement, 2, third, types.INT))
    values = [reading.evaluate(session, statement, 3 + i, each) for i, each in enumerate(rest)]
    number, text = 50000, reading.evaluate(session, statement, 0, first)
    if isinstance(text, int):
        number, text = (
            text,
            (
                f"Error {text}, severity {severity}, state {state} was raised, but no message with that error number "
                "was found in sys.messages."
            ),
        )
    message = _filled(str(text), values)
    if severity <= 10:
        yield notice(number, message, severity, state)
        return
    if "LOG" in statement.options or severity < 19:
        raise SqlError(number, message, severity=severity, state=state, line=statement.line)
    raise SqlError(
        2754,
        "Error severity levels greater than 18 can only be specified by members of the sysadmin role, "
        "using the WITH LOG option.",
    )


def _filled(text: str, values: list[Any]) -> str:
    left = iter(values)

    def shown(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        value = next(left, None)
        return (
            "(null)"
            if value is None
            else f"{match.group()[:-1].replace('I64', '')}{match.group()[-1].replace('i', 'd').replace('u', 'd')}"
            % value
        )

    return re.sub(r"%%|%[-+ #0]*\d*(?:\.\d+)?(?:I64)?[sdiuxXo]", shown, text)


def _print(session: EngineSession, statement: tree.Print) -> Iterator[Outcome]:
    value = reading.evaluate(session, statement, 0, statement.value, types.text("nvarchar", 4000))
    yield notice(0, " " if value in {None, ""} else value)


def _return(session: EngineSession, statement: tree.Return) -> Iterator[Outcome]:
    if statement.value is not None:
        yield ReturnStatus(int(reading.evaluate(session, statement, 0, statement.value, types.INT) or 0))
    raise _LeaveError("RETURN")


def _leave(_session: EngineSession, statement: tree.Leave) -> Iterator[Outcome]:
    yield from _raising(_LeaveError(statement.kind))


def _use(session: EngineSession, statement: tree.Use) -> Iterator[Outcome]:
    yield from session.use(statement.database)


def _waitfor(session: EngineSession, statement: tree.WaitFor) -> Iterator[Outcome]:
    text = str(reading.evaluate(session, statement, 0, statement.delay, types.text("nvarchar", 40)))
    parts = [*text.split(":"), "0", "0"][:3]
    end = time.monotonic() + int(parts[0]) * 3600 + int(parts[1]) * 60 + float(parts[2])
    while time.monotonic() < end and not session.connection.is_cancelled:
        time.sleep(min(0.02, max(end - time.monotonic(), 0)))
    yield from ()


def _transaction(session: EngineSession, statement: tree.Transaction) -> Iterator[Outcome]:
    name = statement.name
    if name.startswith("@"):
        if name.lower() not in session.types:
            raise error(137, name)
        name = str(session.values[name.lower()])
    if statement.verb == "BEGIN":
        yield from session.begin_transaction(name)
    elif statement.verb == "COMMIT":
        yield from session.commit_transaction()
    elif statement.verb == "SAVE":
        session.set_savepoint(name)
    else:
        yield from session.rollback_transaction(name)


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
    tree.Declare: _declare,
    tree.Assign: _assign,
    tree.SetOption: options.set_option,
    tree.If: _if,
    tree.While: _while,
    tree.Block: _block,
    tree.Try: _try,
    tree.Throw: _throw,
    tree.Raiserror: _raiserror,
    tree.Print: _print,
    tree.Return: _return,
    tree.Leave: _leave,
    tree.Use: _use,
    tree.WaitFor: _waitfor,
    tree.Transaction: _transaction,
    tree.Ignored: _ignored,
    tree.Execute: calls.execute,
    tree.Insert: _counted(dml.insert),
    tree.Update: _counted(dml.update),
    tree.Delete: _counted(dml.delete),
    tree.CreateTable: _counted(ddl.create_table),
    tree.CreateIndex: _counted(ddl.create_index),
    tree.CreateSchema: _counted(ddl.create_schema),
    tree.CreateDatabase: ddl.create_database,
    tree.Drop: _counted(ddl.drop),
    tree.AlterTable: _counted(alter.alter_table),
    tree.AlterDatabase: ddl.alter_database,
    tree.Truncate: _counted(ddl.truncate),
}
