"""EXEC, and procedure calls of the wire.

Source: "EXECUTE", https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import convert, reading, stored, tree, types
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.parsing.reader import Reader
from tailrace_standins.sqlserver.session import Outcome, Parameter, ReturnStatus, ReturnValue
from tailrace_standins.sqlserver.values import MAX, SqlType

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_TEXT = types.text("nvarchar", MAX)


def call(session: EngineSession, procedure: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
    """Call a procedure by its name as written; raises 2812."""
    session.begin_request()
    try:
        yield from _called(session, Reader(procedure).names(), procedure, parameters)
    finally:
        session.errors.clear()


def _called(
    session: EngineSession, names: tuple[str, ...], shown: str, parameters: Sequence[Parameter]
) -> Iterator[Outcome]:
    if names[-1].lower() == "sp_executesql":
        yield from _execute_sql(session, parameters)
        return
    database, schema, name = session.engine.catalog.find(names, session.database)
    found = session.engine.system.procedure(database, schema, name)
    if found is None:
        raise error(2812, shown)
    session.finish_reading()
    status = 0
    for outcome in found.run(session, database, parameters):
        if isinstance(outcome, ReturnStatus):
            status = outcome.status
        else:
            yield outcome
    yield ReturnStatus(status)


def execute(session: EngineSession, statement: tree.Execute) -> Iterator[Outcome]:
    """EXEC procedure arguments, or EXEC ('text')."""
    if statement.text is not None:
        text = reading.evaluate(session, statement, 0, statement.text, _TEXT)
        yield from _nested(session, str(text or ""), [])
        return
    names = statement.names
    if statement.name_variable:
        if statement.name_variable not in session.types:
            raise error(137, statement.name_variable)
        names = Reader(str(session.values[statement.name_variable])).names()
    parameters = [_argument(session, statement, place, argument) for place, argument in enumerate(statement.arguments)]
    for outcome in _called(session, names, ".".join(names), parameters):
        if isinstance(outcome, ReturnStatus) and statement.into:
            session.values[statement.into] = convert.converted(outcome.status, types.INT, session.types[statement.into])
        elif isinstance(outcome, ReturnValue):
            _given_back(session, statement, outcome)
        elif not isinstance(outcome, ReturnStatus) or statement.names:
            yield outcome


def _argument(session: EngineSession, statement: tree.Execute, place: int, argument: tree.Argument) -> Parameter:
    if isinstance(argument.value, tree.Default):
        return Parameter(argument.name, types.INT, None, is_default=True)
    key = ("argument", place, *session.plan_key(statement))
    plan = statement.plans.get(key)
    if plan is None:
        plan = statement.plans[key] = QueryCompiler(session).plan(tree.Select([tree.Item(argument.value)]))
    value = session.connection.rows(plan.sql, reading.prepare(session, plan))[0][0]
    of = plan.columns[0].type
    return Parameter(argument.name, of, stored.decoded(value, of), argument.is_output)


def _given_back(session: EngineSession, statement: tree.Execute, outcome: ReturnValue) -> None:
    """An OUTPUT argument: the variable that stood there gets the value."""
    for argument in statement.arguments:
        if (
            argument.is_output
            and isinstance(argument.value, tree.Variable)
            and argument.name in {outcome.name.lower(), ""}
        ):
            variable = argument.value.name
            session.values[variable] = convert.converted(
                stored.encoded(outcome.value, outcome.type), outcome.type, session.types[variable]
            )
            return


def _execute_sql(session: EngineSession, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
    """sp_executesql @stmt, @params, values….

    Source: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-executesql-transact-sql
    """
    if not parameters:
        raise error(201, "sp_executesql", "@statement")
    text = str(parameters[0].value or "")
    if len(parameters) == 1:
        yield from _nested(session, text, [])
        return
    declared = declarations(str(parameters[1].value or ""))
    given = parameters[2:]
    bound = []
    for place, (name, of, is_output) in enumerate(declared):
        argument = next((p for p in given if p.name.lower() == name), None)
        if argument is None and place < len(given) and not given[place].name:
            argument = given[place]
        if argument is None:
            raise error(8178, text, name)
        value = convert.converted(stored.encoded(argument.value, argument.type), argument.type, of)
        bound.append(Parameter(name, of, stored.decoded(value, of), is_output and argument.is_output))
    yield from _nested(session, text, bound)


def _nested(session: EngineSession, text: str, parameters: list[Parameter]) -> Iterator[Outcome]:
    """Run a batch within a batch, with variables of its own; OUTPUT values are assigned when the outer ones are restored."""
    saved = (session.types, session.values)
    errors, depth, database = session.errors, session.try_depth, session.database
    session.errors = list(errors)
    given_back: list[ReturnValue] = []
    try:
        for outcome in session.execute(text, parameters):
            if isinstance(outcome, ReturnValue):
                given_back.append(outcome)
            else:
                yield outcome
    finally:
        session.types, session.values = saved
        session.errors, session.try_depth = errors, depth
    if session.database != database:
        yield from session.use(database)
    yield from given_back


def declarations(text: str) -> list[tuple[str, SqlType, bool]]:
    """`@a int, @b nvarchar(10) OUTPUT` as names in lower case, types and whether they give a value back."""
    reader = Reader(text)
    found: list[tuple[str, SqlType, bool]] = []
    while reader.token.kind != "end":
        name = reader.advance().text.lower()
        reader.accept("AS")
        of = reader.type_name()
        if reader.accept("="):
            reader.advance()
        found.append((name, of, reader.accept("OUTPUT") or reader.accept("OUT")))
        reader.accept("READONLY")
        if not reader.accept(","):
            break
    return found


def bound(
    procedure: str, names: Sequence[str], parameters: Sequence[Parameter], required: int = 0
) -> dict[str, Parameter]:
    """A procedure's arguments by name (with @, lower case), from named or positional ones; raises 8144, 8145, 201."""
    found: dict[str, Parameter] = {}
    for place, parameter in enumerate(parameters):
        if place >= len(names):
            raise error(8144, procedure)
        name = parameter.name.lower() or names[place]
        if name not in names:
            raise error(8145, procedure, parameter.name)
        if not parameter.is_default:
            found[name] = parameter
    for name in names[:required]:
        if name not in found:
            raise error(201, procedure, name)
    return found
