"""What the tests of change data capture run on: the stand-in's engine, or a real SQL Server.

`TAILRACE_TEST_SQLSERVER_URL=mssql://user:password@host:port` takes a server that is there (docs/guides/verify-on-a-real-server.md).
Each test has a database of its own. It is called shop; on a real server it has a name that nobody else uses, which is put
where a statement says `[shop]` or `'shop'`.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import time
import uuid
from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from tests.standins.sqlserver.drivers.installed import pymssql
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.sqlserver.cdc import ChangeDataCapture, install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.engine.types import displayed
from tailrace_standins.sqlserver.session import ResultColumn, SqlError
from tailrace_standins.sqlserver.values import SqlType, Value

NAME = "shop"
_SCAN_IS_RUNNING = 22903
_IN_USE = 3702
_PATIENCE = 60.0
_DEFAULTS = (500, 10)  # @maxtrans, @maxscans

Results = list[tuple[tuple[ResultColumn, ...], list[Sequence[Value]]]]


class Session(Protocol):
    """A connection; errors are `SqlError`, values those of `values.py`."""

    def run(self, sql: str) -> object:
        """Run a batch."""
        ...

    def results(self, sql: str, **parameters: tuple[SqlType, Value]) -> Results:
        """All result sets of a batch."""
        ...

    def rows(self, sql: str, **parameters: tuple[SqlType, Value]) -> list[Sequence[Value]]:
        """The rows of the last result set."""
        ...

    def value(self, sql: str, **parameters: tuple[SqlType, Value]) -> Value:
        """The only value."""
        ...

    def error(self, sql: str) -> int:
        """The number of the error that a batch ends with."""
        ...


class Server(Protocol):
    """A server with an empty database."""

    def connect(self) -> Session:
        """A new session in the database."""
        ...

    def quiet(self) -> None:
        """From now on nothing is captured but by `step`."""
        ...

    def step(self) -> int:
        """One scan of the log with the capture job's settings; gives how many transactions it captured."""
        ...

    def close(self) -> None:
        """The database goes."""
        ...


class StandInServer:
    """The engine in this process, without a wire."""

    def __init__(self) -> None:
        self.engine = Engine(password="secret")
        self.engine.create_database(NAME)
        self.capture: ChangeDataCapture = install(self.engine, automatic=False)

    def connect(self) -> Client:
        return Client(self.engine, NAME)

    def quiet(self) -> None:
        """Jobs do not start by themselves here."""

    def step(self) -> int:
        return self.capture.step(NAME)

    def close(self) -> None:
        self.engine.close()


class RealServer:
    """A server named by a URL; what SQL Server Agent would do is done by `step` alone."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._login = {
            "server": parts.hostname or "127.0.0.1", "port": str(parts.port or 1433),
            "user": unquote(parts.username or "sa"), "password": unquote(parts.password or ""),
        }  # fmt: skip
        self.database = f"tailrace_{uuid.uuid4().hex[:12]}"
        self._sessions: list[WireSession] = []
        self._outside = self._session("master")
        self._outside.run(f"CREATE DATABASE [{self.database}]")
        self._own = self.connect()

    def _session(self, database: str) -> WireSession:
        made = WireSession(pymssql().connect(**self._login, database=database, autocommit=True), self.database)
        self._sessions.append(made)
        return made

    def connect(self) -> WireSession:
        return self._session(self.database)

    def quiet(self) -> None:
        """The capture job is replaced by one that was never started; who scans still is waited for."""
        self._own.run("EXEC sys.sp_cdc_drop_job @job_type = N'capture'")
        self._own.run("EXEC sys.sp_cdc_add_job @job_type = N'capture', @start_job = 0")
        self.step()

    def step(self) -> int:
        own = self._own
        job = next((row for row in own.rows("EXEC sys.sp_cdc_help_jobs") if row[1] == "capture"), None)
        maxtrans, maxscans = (job[3], job[4]) if job is not None else _DEFAULTS
        last = own.value("SELECT ISNULL(MAX(session_id), 0) FROM sys.dm_cdc_log_scan_sessions")
        scan = f"EXEC sys.sp_cdc_scan @maxtrans = {number(maxtrans)}, @maxscans = {number(maxscans)}, @continuous = 0"
        self._patiently(own, scan, _SCAN_IS_RUNNING)
        found = own.value(
            f"SELECT ISNULL(SUM(tran_count), 0) FROM sys.dm_cdc_log_scan_sessions WHERE session_id > {number(last)}"
        )
        return number(found)

    @staticmethod
    def _patiently(own: WireSession, sql: str, busy: int) -> None:
        """Run it, again and again while that is refused because somebody is not done yet."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                own.run(sql)
            except SqlError as problem:
                if problem.number != busy or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    def close(self) -> None:
        """Capture ends first: its jobs go with it."""
        with contextlib.suppress(SqlError):
            self._own.run(
                "IF (SELECT is_cdc_enabled FROM sys.databases WHERE name = DB_NAME()) = 1 EXEC sys.sp_cdc_disable_db"
            )
        for session in self._sessions:
            if session is not self._outside:
                session.close()
        self._outside.run(f"ALTER DATABASE [{self.database}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
        self._patiently(self._outside, f"DROP DATABASE [{self.database}]", _IN_USE)
        self._outside.close()


class WireSession:
    """A session over the wire; `database` takes the place of shop in what it runs."""

    def __init__(self, connection: Any, database: str) -> None:
        self._connection = connection
        self._database = database

    def run(self, sql: str) -> None:
        self.results(sql)

    def rows(self, sql: str, **parameters: tuple[SqlType, Value]) -> list[Sequence[Value]]:
        return self.results(sql, **parameters)[-1][1]

    def value(self, sql: str, **parameters: tuple[SqlType, Value]) -> Value:
        ((only,),) = self.rows(sql, **parameters)
        return only

    def error(self, sql: str) -> int:
        try:
            self.run(sql)
        except SqlError as problem:
            return problem.number
        raise AssertionError(f"no error from {sql}")

    def results(self, sql: str, **parameters: tuple[SqlType, Value]) -> Results:
        text = called(sql, parameters) if parameters else sql
        text = text.replace(f"[{NAME}]", f"[{self._database}]").replace(f"'{NAME}'", f"'{self._database}'")
        found: Results = []
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(text)
                more = True
                while more:
                    if cursor.description is not None:
                        columns = tuple(ResultColumn(each[0], SqlType("")) for each in cursor.description)
                        found.append((columns, [tuple(map(plain, row)) for row in cursor.fetchall()]))
                    more = bool(cursor.nextset())
            except pymssql().Error as problem:
                raise told(problem) from problem
        return found

    def close(self) -> None:
        self._connection.close()


def called(sql: str, parameters: dict[str, tuple[SqlType, Value]]) -> str:
    """A call of sp_executesql: pymssql itself puts parameters into the text."""
    declared = ", ".join(f"@{name} {displayed(of)}" for name, (of, _) in parameters.items())
    given = ", ".join(f"@{name} = {literal(value)}" for name, (_, value) in parameters.items())
    return f"EXEC sp_executesql {literal(sql)}, {literal(declared)}, {given}"


def literal(value: Value) -> str:
    """A value in T-SQL, of the types that these tests give."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return str(value) if isinstance(value, int) else "N'" + str(value).replace("'", "''") + "'"


def number(value: Value) -> int:
    """A whole number of any type."""
    return int(str(value))


def plain(value: Any) -> Value:
    """A value of the driver's as `values.py` has it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.isoformat(" ", "milliseconds")
    return str(value) if isinstance(value, dt.datetime) else value


def told(problem: Any) -> SqlError:
    """The driver's error as the one that the server told."""
    code, message = (*problem.args, 0, b"")[:2]
    return SqlError(
        code if isinstance(code, int) else 0, message.decode() if isinstance(message, bytes) else str(message)
    )
