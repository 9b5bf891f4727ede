"""An engine for tests of the wire: tables in memory that are read and written whole, and statements that fail.

It knows `INSERT INTO t VALUES (?, …)`, `SELECT * FROM t`, `SELECT * FROM t WHERE ?, …` (the parameters are kept), `DELETE FROM t`,
`CALL t`, `SET …`, `COMMIT`, `ROLLBACK`, and what `failures` has.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal

from tailrace_standins.db2.session import (
    Affected,
    Column,
    Ended,
    Isolation,
    Login,
    Result,
    Rows,
    SqlError,
)
from tailrace_standins.db2.values import SqlType, Value

FORM = re.compile(r"(?:(INSERT) INTO|(SELECT) \* FROM|(DELETE) FROM|(CALL)) (\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class Prepared:
    sql: str
    verb: str = ""
    table: str = ""
    columns: tuple[Column, ...] = ()
    parameters: tuple[Column, ...] = ()


@dataclass
class Table:
    columns: tuple[Column, ...]
    rows: list[tuple[Value, ...]] = field(default_factory=list)
    fails_after: SqlError | None = None
    asks: tuple[Column, ...] = ()
    made: Callable[[], Generator[Sequence[Sequence[Value]], None, None]] | None = None


class ScriptedServer:
    """Users `app` with a password that has what EBCDIC's pages disagree about, in a database TESTDB."""

    password = "Tail-race#1"

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.failures: dict[str, SqlError] = {}
        self.sessions: list[ScriptedSession] = []
        self.logins: list[Login] = []
        self.passwords: list[str] = []

    def authenticates(self, user: str, password: str) -> bool:
        self.passwords.append(password)
        return (user, password) == ("app", self.password)

    def open(self, login: Login) -> ScriptedSession | None:
        self.logins.append(login)
        if login.database != "TESTDB":
            return None
        self.sessions.append(ScriptedSession(self))
        return self.sessions[-1]


class ScriptedSession:
    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self.asked: list[str] = []
        self.parameters: list[tuple[Value, ...]] = []
        self.isolations: list[Isolation] = []
        self.cancelled = threading.Event()
        self.closed = threading.Event()
        self.open_results = 0

    def prepare(self, sql: str) -> Prepared:
        self.asked.append(sql)
        if sql in self._server.failures:
            raise self._server.failures[sql]
        form = FORM.match(sql)
        if form is None:
            if sql.upper().split()[0] in {"SET", "COMMIT", "ROLLBACK", "WAIT"}:
                return Prepared(sql, sql.upper().split()[0])
            raise SqlError(-104, "42601", sql.split()[0], "BEGIN-OF-STATEMENT", "SELECT")
        verb, name = next(filter(None, form.groups()[:4])).upper(), form[5].lower()
        table = self._server.tables.get(name)
        if table is None:
            raise SqlError(-204, "42704", form[5])
        return Prepared(
            sql, verb, name,
            table.columns if verb == "SELECT" else (),
            table.columns if verb == "INSERT" and "?" in sql else table.asks if "?" in sql else (),
        )  # fmt: skip

    def execute(self, statement: Prepared, parameters: Sequence[Value], isolation: Isolation) -> Result:
        self.parameters.append(tuple(parameters))
        self.isolations.append(isolation)
        if statement.verb == "WAIT":
            assert self.cancelled.wait(20)
            raise SqlError(-952, "57014")
        if statement.verb in {"COMMIT", "ROLLBACK"}:
            return Affected(ended=Ended[{"COMMIT": "COMMITTED", "ROLLBACK": "ROLLED_BACK"}[statement.verb]])
        if statement.verb == "SET":
            return Affected()
        table = self._server.tables[statement.table]
        if statement.verb in {"SELECT", "CALL"}:
            return Rows(table.columns, self._read(table))
        if statement.verb == "DELETE":
            count, table.rows = len(table.rows), []
            return Affected(count)
        if not parameters:
            return Affected()
        table.rows.append(tuple(map(stored, (column.type for column in table.columns), parameters)))
        return Affected(1)

    def call(self, procedure: str, parameters: Sequence[Value]) -> Sequence[Rows]:
        self.asked.append(procedure)
        self.parameters.append(tuple(parameters))
        table = self._server.tables[procedure.lower()]
        return [Rows(table.columns, self._read(table))]

    def watch(self, is_gone: Callable[[], bool]) -> None:
        pass

    def commit(self) -> None:
        self.asked.append("commit")

    def rollback(self) -> None:
        self.asked.append("rollback")

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None:
        self.closed.set()

    def _read(self, table: Table) -> Generator[Sequence[Sequence[Value]], None, None]:
        self.open_results += 1
        try:
            yield from table.made() if table.made else iter([table.rows])
            if table.fails_after:
                raise table.fails_after
        finally:
            self.open_results -= 1


def stored(type_: SqlType, value: Value) -> Value:
    """A parameter as a column of the type would hold it: drivers describe their parameters as they like."""
    if value is None:
        return None
    if type_.name in {"smallint", "integer", "bigint"}:
        return int(value)
    if type_.name in {"real", "double"}:
        return float(value)
    if type_.name in {"decimal", "decfloat"}:
        number = Decimal(str(value))
        return number.quantize(Decimal(1).scaleb(-type_.scale), context=Context(prec=31)) if type_.name == "decimal" else number
    if type_.name == "boolean":
        return str(value).lower() in {"true", "1"}
    if type_.name == "timestamp":
        text = str(value)[:19].replace(".", ":").replace("T", " ") + str(value)[19:]
        text = text[:10] + " " + text[11:]
        whole, _, digits = text.partition(".")
        return f"{whole}.{digits.ljust(type_.scale, '0')[: type_.scale]}" if type_.scale else whole
    return value
