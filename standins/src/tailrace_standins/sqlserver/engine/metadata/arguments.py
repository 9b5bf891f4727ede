"""Arguments and results of system procedures."""

# texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import calls
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.metadata.views import columns
from tailrace_standins.sqlserver.engine.system import Procedure
from tailrace_standins.sqlserver.session import Outcome, Parameter, ResultColumn, ResultSet, ReturnStatus
from tailrace_standins.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


Run = Callable[["EngineSession", Database, dict[str, Parameter]], Iterator[Outcome]]


def result(text: str, rows: Iterable[Sequence[Value]]) -> ResultSet:
    """A result of short column texts (`views.columns`)."""
    found = [tuple(row) for row in rows]
    return ResultSet(tuple(ResultColumn(name, of) for name, of in columns(text)), iter([found] if found else []))


def procedure(name: str, parameters: str, run: Run, required: int = 0) -> Procedure:
    """A procedure with its parameters' names; it gets arguments by name, with @."""
    names = tuple(f"@{each}" for each in parameters.split())

    def called(session: EngineSession, database: Database, given: Sequence[Parameter]) -> Iterator[Outcome]:
        yield from run(session, database, calls.bound(name, names, given, required))
        yield ReturnStatus(0)

    return Procedure(name, called)


def text_of(parameters: dict[str, Parameter], name: str) -> str | None:
    """A parameter's value as text, None where it was not given."""
    found = parameters.get(name)
    return None if found is None or found.value is None else str(found.value)


def matches(pattern: str | None, name: str, *, exact: bool = False) -> bool:
    r"""ODBC's patterns: % and _, with [_] and \_ for the signs themselves; None and % fit all."""
    if pattern is None or pattern == "%":
        return True
    if exact:
        return pattern.lower() == name.lower()
    expression = "".join(
        re.escape(part[1])
        if len(part) == 3 or (part[0] == "\\" and len(part) == 2)
        else ".*"
        if part == "%"
        else "."
        if part == "_"
        else re.escape(part)
        for part in re.findall(r"\[.\]|\\.|.", pattern, re.DOTALL)
    )
    return re.fullmatch(expression, name, re.IGNORECASE | re.DOTALL) is not None


def database_named(session: EngineSession, database: Database, parameters: dict[str, Parameter], name: str) -> Database:
    """The database that a parameter names, the current one where it names none."""
    given = text_of(parameters, name)
    return session.engine.catalog.database(given) if given else database
