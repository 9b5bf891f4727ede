"""An engine that answers by statement what a test has told it to, for tests of the wire without any SQL.

A statement is looked up by its beginning, in lower case; what a session was asked for is kept in `asked`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from tailrace_standins.sqlserver.session import (
    Affected,
    Change,
    Changed,
    Isolation,
    Login,
    Outcome,
    Parameter,
    ResultColumn,
    ResultSet,
    SqlError,
)
from tailrace_standins.sqlserver.values import SqlType, Value

Script = Callable[[Sequence[Parameter]], Iterable[Outcome]]
WAIT_SECONDS = 30


def rows(columns: Sequence[tuple[str, SqlType]], *values: Sequence[Value]) -> ResultSet:
    """A result set of some rows."""
    told = tuple(ResultColumn(name, type_) for name, type_ in columns)
    return ResultSet(told, iter([list(values)]))


class ScriptedServer:
    """Lets everybody in whose password is `secret`."""

    def __init__(self, **scripts: Script) -> None:
        self.scripts: dict[str, Script] = {
            "select 1": lambda _: [rows([("", SqlType("int"))], (1,))],
            "select parameters": _told_parameters,
            "insert": lambda _: [Affected(1, "INSERT")],
            "update": lambda _: [Affected(3, "UPDATE")],
            "create table": lambda _: [Affected(verb="CREATE TABLE")],
            "select @@trancount": lambda _: [rows([("", SqlType("int"))], (0,))],
            "if @@trancount > 0": _nothing,
            **dict.fromkeys(("set ", "use ", "begin tran", "commit tran", "rollback tran"), _nothing),
            **scripts,
        }
        self.sessions: list[ScriptedSession] = []
        self.logins: list[Login] = []

    def login(self, login: Login) -> ScriptedSession:
        self.logins.append(login)
        if login.password != "secret":
            raise SqlError(18456, f"Login failed for user '{login.user}'.", severity=14)
        session = ScriptedSession(self, len(self.sessions) + 51, login.database or "master")
        self.sessions.append(session)
        return session


class ScriptedSession:
    """A session of it."""

    def __init__(self, server: ScriptedServer, number: int, database: str) -> None:
        self._server = server
        self._number = number
        self._database = database
        self._transactions = 0
        self._cancelled = threading.Event()
        self.asked: list[tuple[str, object]] = []
        self.is_closed = threading.Event()

    @property
    def id(self) -> int:
        return self._number

    @property
    def database(self) -> str:
        return self._database

    def batch(self, sql: str) -> Iterator[Outcome]:
        self.asked.append(("batch", sql))
        yield from self._scripted(sql, [])

    def execute(self, sql: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        self.asked.append(("execute", sql))
        yield from self._scripted(sql, parameters)

    def describe(self, sql: str, parameters: Sequence[Parameter]) -> tuple[ResultColumn, ...]:
        self.asked.append(("describe", sql))
        return next((each.columns for each in self._scripted(sql, parameters) if isinstance(each, ResultSet)), ())

    def call(self, procedure: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        self.asked.append(("call", procedure))
        yield from self._scripted(procedure, parameters)

    def begin(self, name: str, isolation: Isolation) -> Iterator[Outcome]:
        self.asked.append(("begin", isolation))
        self._transactions += 1
        yield Changed(Change.BEGUN, new=self._descriptor())

    def commit(self, name: str) -> Iterator[Outcome]:
        self.asked.append(("commit", name))
        yield Changed(Change.COMMITTED, old=self._descriptor())

    def rollback(self, name: str) -> Iterator[Outcome]:
        self.asked.append(("rollback", name))
        yield Changed(Change.ROLLED_BACK, old=self._descriptor())

    def save(self, name: str) -> Iterator[Outcome]:
        self.asked.append(("save", name))
        yield Affected()

    def reset(self) -> None:
        self.asked.append(("reset", None))

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        self.is_closed.set()

    def _descriptor(self) -> bytes:
        return self._transactions.to_bytes(8, "little")

    def _scripted(self, sql: str, parameters: Sequence[Parameter]) -> Iterator[Outcome]:
        text = sql.strip().lower()
        if text.startswith("waitfor"):
            self._cancelled.clear()
            assert self._cancelled.wait(WAIT_SECONDS), "nobody cancelled it"
            raise SqlError(3617, "The batch was aborted.")
        script = next((script for start, script in self._server.scripts.items() if text.startswith(start)), None)
        if script is None:
            raise SqlError(2812, f"Could not find what to answer to '{sql}'.", line=7, procedure="scripted")
        yield from script(parameters)


def _nothing(_parameters: Sequence[Parameter]) -> list[Outcome]:
    return [Affected()]


def _told_parameters(parameters: Sequence[Parameter]) -> list[Outcome]:
    """A row for each parameter: its name, its type and its value as Python writes it."""
    columns = [
        ("name", SqlType("nvarchar", 128)),
        ("type", SqlType("nvarchar", 128)),
        ("value", SqlType("nvarchar", -1)),
    ]
    told = [(each.name, each.type.name, repr(each.value)) for each in parameters]
    return [rows(columns, *told)]
