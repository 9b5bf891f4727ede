"""Procedure calls: those that run statements with parameters are handled here, all others by the engine.

A prepared statement is a text with a declaration of parameters, stored under a handle until it is unprepared or the session is
reset.

Sources: "sp_executesql", https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-executesql-transact-sql;
"sp_prepare", …/sp-prepare-transact-sql; "sp_prepexec", …/sp-prepexec-transact-sql; "sp_execute", …/sp-execute-transact-sql;
"sp_unprepare", …/sp-unprepare-transact-sql
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from tailrace_standins.sqlserver.session import Outcome, Parameter, ResultSet, ReturnValue, Session, SqlError
from tailrace_standins.sqlserver.tds.answers import Answer, Chunk
from tailrace_standins.sqlserver.tds.requests import Call
from tailrace_standins.sqlserver.values import SqlType

_DECLARED: Final = re.compile(r"(?:^|,)\s*(@[\w@$#]+)")
_HANDLE: Final = SqlType("int")


@dataclass(frozen=True, slots=True)
class _Statement:
    sql: str
    declaration: str


class Procedures:
    """The calls of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._statements: dict[int, _Statement] = {}
        self._handles = count(1)

    def forget(self) -> None:
        """Discard all prepared statements."""
        self._statements.clear()

    def answer(self, call: Call, answer: Answer, *, is_last: bool) -> Iterator[Chunk]:
        """The tokens of a call."""
        return answer.call(self._outcomes(call), call.parameters, is_last=is_last)

    def _outcomes(self, call: Call) -> Iterator[Outcome]:
        given = call.parameters
        own = {
            "sp_executesql": self._execute_sql,
            "sp_prepexec": self._prepare_and_execute,
            "sp_prepare": self._prepare,
            "sp_execute": self._execute,
            "sp_unprepare": self._unprepare,
            "sp_reset_connection": self._reset,
        }
        name = call.procedure.lower().removeprefix("sys.")
        if name.startswith("sp_cursor"):
            raise SqlError(50000, f"The stand-in does not have server cursors ({name}): read forward only.")
        if name in own:
            yield from own[name](given)
        else:
            yield from self._session.call(call.procedure, given)

    def _execute_sql(self, given: Sequence[Parameter]) -> Iterator[Outcome]:
        statement = _Statement(_text(given, 0, "sp_executesql"), _optional_text(given, 1))
        yield from self._run(statement, given[2:])

    def _prepare_and_execute(self, given: Sequence[Parameter]) -> Iterator[Outcome]:
        statement = _Statement(_text(given, 2, "sp_prepexec"), _optional_text(given, 1))
        yield self._keep(statement, given[0])
        yield from self._run(statement, given[3:])

    def _prepare(self, given: Sequence[Parameter]) -> Iterator[Outcome]:
        statement = _Statement(_text(given, 2, "sp_prepare"), _optional_text(given, 1))
        names = _DECLARED.findall(statement.declaration)
        nothing = [Parameter(name, SqlType("sql_variant"), None) for name in names]
        columns = self._session.describe(statement.sql, nothing)
        yield self._keep(statement, given[0])
        if columns:
            yield ResultSet(columns, iter(()))

    def _execute(self, given: Sequence[Parameter]) -> Iterator[Outcome]:
        yield from self._run(self._statement(given), given[1:])

    def _unprepare(self, given: Sequence[Parameter]) -> Iterator[Outcome]:
        self._statement(given)
        del self._statements[_handle(given)]
        yield from ()

    def _reset(self, _given: Sequence[Parameter]) -> Iterator[Outcome]:
        self.forget()
        self._session.reset()
        yield from ()

    def _run(self, statement: _Statement, given: Sequence[Parameter]) -> Iterator[Outcome]:
        return self._session.execute(statement.sql, named(given, statement.declaration))

    def _keep(self, statement: _Statement, handle: Parameter) -> ReturnValue:
        number = next(self._handles)
        self._statements[number] = statement
        return ReturnValue(handle.name, _HANDLE, number)

    def _statement(self, given: Sequence[Parameter]) -> _Statement:
        handle = _handle(given)
        if handle not in self._statements:
            raise SqlError(8179, f"Could not find prepared statement with handle {handle}.")
        return self._statements[handle]


def named(given: Sequence[Parameter], declaration: str) -> list[Parameter]:
    """The parameters; unnamed ones are named by their position in the declaration. Raises `SqlError` 8144 for too many."""
    names = _DECLARED.findall(declaration)
    if len(given) > len(names):
        raise SqlError(8144, "Procedure or function has too many arguments specified.", state=2)
    filled = zip(given, names, strict=False)
    return [each if each.name else replace(each, name=name) for each, name in filled]


def _handle(given: Sequence[Parameter]) -> int:
    handle = given[0].value if given else None
    return handle if isinstance(handle, int) else 0


def _text(given: Sequence[Parameter], place: int, procedure: str) -> str:
    value = given[place].value if len(given) > place else None
    if not isinstance(value, str):
        raise SqlError(214, f"Procedure expects parameter of type 'ntext/nchar/nvarchar' ({procedure}).")
    return value


def _optional_text(given: Sequence[Parameter], place: int) -> str:
    value = given[place].value if len(given) > place else None
    return value if isinstance(value, str) else ""
