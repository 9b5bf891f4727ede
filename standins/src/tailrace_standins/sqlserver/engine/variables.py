"""DECLARE, SET @variable and SELECT @variable.

Source: "Variables", https://learn.microsoft.com/sql/t-sql/language-elements/variables-transact-sql
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import convert, ddl, reading, tree
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.session import Outcome, SqlError

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def assigns(statement: tree.SelectStatement) -> bool:
    """Whether a SELECT has no rows for the client."""
    query = statement.query
    return isinstance(query, tree.Select) and (bool(query.into) or any(item.variable for item in query.items))


def select_into_variables(session: EngineSession, statement: tree.SelectStatement) -> Iterator[Outcome]:
    """SELECT @variable = …; raises 137, 141."""
    query = statement.query
    assert isinstance(query, tree.Select)  # noqa: S101  # assigns looked
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


def declare(session: EngineSession, statement: tree.Declare) -> Iterator[Outcome]:
    """DECLARE."""
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


def assign(session: EngineSession, statement: tree.Assign) -> Iterator[Outcome]:
    """SET @variable = …; raises 137."""
    of = session.types.get(statement.name)
    if of is None:
        raise error(137, statement.name)
    session.values[statement.name] = reading.evaluate(session, statement, 0, statement.value, of)
    yield from ()
