"""Arguments and results of the procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.cdc import gating, rows
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.engine import access, calls
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.system import Procedure
from tailrace_standins.sqlserver.session import Outcome, Parameter, ResultColumn, ResultSet, ReturnStatus
from tailrace_standins.sqlserver.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

Given = dict[str, Value]
Run = Callable[["EngineSession", Database, Given], Iterator[Outcome]]


def changing(
    name: str, parameters: str, run: Run, required: int = 0, *, of_agent: bool = False, by_sysadmin: bool = False
) -> Procedure:
    """A procedure that changes something; it raises 22902 or 22904 without permission, 3906 on a secondary replica.

    Procedures of SQL Server Agent (`of_agent`) do not exist on a secondary.
    """

    def checked(session: EngineSession, database: Database, given: Given) -> Iterator[Outcome]:
        if by_sysadmin:
            gating.check_sysadmin(session)
        else:
            gating.check_owner(session, database)
        if of_agent:
            access.check_no_secondary(session, f"sys.{name}")
        access.check_write(session, database)
        yield from run(session, database, given)

    return procedure(name, parameters, checked, required)


def procedure(name: str, parameters: str, run: Run, required: int = 0) -> Procedure:
    """A procedure with its parameters' names, run in its database; it gets values by name, without @."""
    names = tuple(f"@{each}" for each in parameters.split())

    def called(session: EngineSession, database: Database, given: Sequence[Parameter]) -> Iterator[Outcome]:
        bound = calls.bound(name, names, given, required)
        session.finish_reading()
        with rows.inside(session, database):
            yield from run(session, database, {key[1:]: parameter.value for key, parameter in bound.items()})
        yield ReturnStatus(0)

    return Procedure(name, called)


def text(given: Given, name: str) -> str | None:
    """A parameter as text; None if it is NULL or absent."""
    value = given.get(name)
    return None if value is None else str(value)


def needed(given: Given, name: str) -> str:
    """A parameter that must not be NULL or empty; raises 22963."""
    value = text(given, name)
    if not value:
        raise failure(22963, f"@{name}")
    return value


def number(given: Given, name: str) -> int | None:
    """A parameter as an integer; None if it is NULL or absent."""
    value = given.get(name)
    return None if value is None else int(str(value))


def result(columns: Sequence[tuple[str, SqlType]], found: Iterable[Sequence[Value]]) -> ResultSet:
    """A result set."""
    listed = [tuple(row) for row in found]
    return ResultSet(tuple(ResultColumn(name, of) for name, of in columns), iter([listed] if listed else []))
