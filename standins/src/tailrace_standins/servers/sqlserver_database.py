"""A database for tests on a SQL Server, and control over its capture job (`sqlserver_server.py` has the servers)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol

from tailrace_standins.servers.ports import HOST, free_port

PATIENCE: Final = 60.0
_BUSY: Final = ("another connection is already running 'sp_replcmds'", "currently in use")
_POLL_SECONDS: Final = 0.02


class Unavailable(Exception):  # noqa: N818 -- it is not an error of the program: tests are skipped by it
    """No server is available here; the message says why."""


class Control(Protocol):
    """Controls a server's capture jobs."""

    def quiet(self, database: Database) -> None:
        """Stop the capture job: from now on only `step` captures changes."""

    def resume(self, database: Database) -> None:
        """Let the capture job read the log by itself."""

    def step(self, database: Database) -> int:
        """One scan of the log; gives how many transactions were captured."""


class Server:
    """A running server, and how to connect to it."""

    def __init__(self, host: str, port: int, user: str, password: str, control: Control) -> None:
        self.host = host
        self.port = port
        self.user = user
        self.password = password
        self.control = control

    def connect(self, database: str = "master") -> Any:
        """An mssql-python connection in autocommit mode."""
        return driver().connect(
            f"SERVER={self.host},{self.port};DATABASE={{{database}}};UID={self.user};PWD={{{self.password}}};Encrypt=no",
            autocommit=True,
        )

    def sql(self, text: str, database: str = "master", *parameters: Any) -> list[tuple[Any, ...]]:
        """Run a batch on a new connection; returns the last result's rows."""
        connection = self.connect(database)
        try:
            return run(connection, text, *parameters)
        finally:
            connection.close()

    def create_database(self, name: str | None = None) -> Database:
        """A new database with change data capture enabled; its capture job is stopped."""
        made = Database(self, name or f"t_{uuid.uuid4().hex[:10]}")
        self.sql(f"CREATE DATABASE [{made.name}]")
        made.sql("EXEC sys.sp_cdc_enable_db")
        self.control.quiet(made)
        return made

    def properties(self, *databases: str, **more: str) -> dict[str, str]:
        """A connector's configuration for these databases; in the names of `more` an underscore means a dot."""
        return {
            "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
            "topic.prefix": "s",
            "database.hostname": self.host,
            "database.port": str(self.port),
            "database.user": self.user,
            "database.password": self.password,
            "database.names": ",".join(databases),
            "database.encrypt": "false",
            "snapshot.mode": "no_data",
            "poll.interval.ms": "20",
            **{name.replace("_", "."): value for name, value in more.items()},
        }


class Database:
    """A database with change data capture enabled; each `sql` has a session of its own."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self._connection: Any = None
        self._scanning: Any = None

    @property
    def scanning(self) -> Any:
        """Another connection, for the capture job's work, which a thread may do during a transaction on `connection`."""
        if self._scanning is None:
            self._scanning = self.server.connect(self.name)
        return self._scanning

    @property
    def connection(self) -> Any:
        """A connection that stays open, for many statements."""
        if self._connection is None:
            self._connection = self.server.connect(self.name)
        return self._connection

    def sql(self, text: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run a batch; returns the last result's rows."""
        return run(self.connection, text, *parameters)

    def value(self, text: str, *parameters: Any) -> Any:
        """The single value of a query."""
        ((only,),) = self.sql(text, *parameters)
        return only

    def capture(
        self, table: str, instance: str | None = None, columns: str | None = None, schema: str = "dbo", index: str | None = None
    ) -> None:
        """Enable capture of a table, and have the log read up to there."""
        self.enable(table, instance, columns, schema, index)
        self.step()

    def enable(
        self, table: str, instance: str | None = None, columns: str | None = None, schema: str = "dbo", index: str | None = None
    ) -> None:
        """Enable capture of a table; the instance has no start LSN before the log is read. `index`: that identifies rows."""
        more = f", @capture_instance = N'{instance}'" if instance else ""
        more += f", @captured_column_list = N'{columns}'" if columns else ""
        more += f", @index_name = N'{index}'" if index else ""
        self.sql(
            f"EXEC sys.sp_cdc_enable_table @source_schema = N'{schema}', @source_name = N'{table}', "
            f"@role_name = NULL{more}"
        )
        self.server.control.quiet(self)

    def uncapture(self, table: str, instance: str = "all", schema: str = "dbo") -> None:
        """Disable capture of a table, or of one capture instance."""
        self.sql(
            f"EXEC sys.sp_cdc_disable_table @source_schema = N'{schema}', @source_name = N'{table}', "
            f"@capture_instance = N'{instance}'"
        )

    def step(self) -> int:
        """One scan of the log; gives how many transactions were captured."""
        return self.server.control.step(self)

    def capture_all(self) -> None:
        """Scan the log until nothing is left to capture."""
        while self.step():
            pass

    def resume(self) -> None:
        """Let the capture job read the log by itself, without a polling interval."""
        self.server.control.resume(self)

    def pause(self) -> None:
        """Stop the capture job again: only `step` reads the log."""
        self.server.control.quiet(self)

    def clean_up(self, instance: str, low: bytes) -> None:
        """Remove an instance's changes before an LSN, which must be in cdc.lsn_time_mapping."""
        self.sql(
            f"EXEC sys.sp_cdc_cleanup_change_table @capture_instance = N'{instance}', @low_water_mark = 0x{low.hex()}, "
            "@threshold = 5000"
        )

    def max_lsn(self) -> bytes:
        """The newest captured LSN."""
        found: bytes = self.value("SELECT sys.fn_cdc_get_max_lsn()")
        return found

    def properties(self, **more: str) -> dict[str, str]:
        """A connector's configuration for this database."""
        return self.server.properties(self.name, **more)

    def drop(self) -> None:
        """Drop the database, even if sessions use it."""
        self.sql("IF (SELECT is_cdc_enabled FROM sys.databases WHERE name = DB_NAME()) = 1 EXEC sys.sp_cdc_disable_db")
        for connection in (self.connection, self._scanning):
            if connection is not None:
                connection.close()
        self._connection = self._scanning = None
        self.server.sql(f"ALTER DATABASE [{self.name}] SET SINGLE_USER WITH ROLLBACK IMMEDIATE")
        patiently(lambda: self.server.sql(f"DROP DATABASE [{self.name}]"))


def driver() -> Any:
    """The module mssql-python. Raises `Unavailable`, with what is missing."""
    try:
        import mssql_python
    except ImportError as error:
        raise Unavailable(f"mssql-python can't be imported: {error}") from error
    mssql_python.pooling(enabled=False)  # a database with a pooled connection can't be dropped
    if reason := _unloadable(mssql_python):
        raise Unavailable(f"mssql-python can't be loaded (apt-get install libltdl7): {reason}")
    return mssql_python


@cache
def _unloadable(module: Any) -> str:
    """Why the driver's library, which needs libltdl7, can't be loaded; "" if it can.

    It tries to connect to a port where nothing listens: if the library is loaded, the refused connection is the only error.
    """
    try:
        module.connect(f"Server={HOST},{free_port()};UID=x;PWD=x;Encrypt=no", timeout=1)
    except Exception as error:  # noqa: BLE001 -- drivers have their own exception classes
        return str(error) if "failed to load" in str(error).lower() else ""
    return ""


def run(connection: Any, text: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Run a batch to its end; returns the last result's rows."""
    rows: list[tuple[Any, ...]] = []
    cursor = connection.cursor()
    try:
        cursor.execute(text, *parameters)
        more = True
        while more:
            if cursor.description is not None:
                rows = [tuple(row) for row in cursor.fetchall()]
            more = bool(cursor.nextset())
    finally:
        cursor.close()
    return rows


def patiently(doing: Callable[[], object]) -> None:
    """Call it, and repeat while it fails because another session is still busy."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            doing()
        except driver().Error as error:
            if not any(sign in str(error) for sign in _BUSY) or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_SECONDS)
        else:
            return
