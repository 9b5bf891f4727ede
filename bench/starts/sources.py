"""The databases of the benchmark of starts: each with one small table, into which a row is inserted before each start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.sqlserver_database import Database
from tailrace_standins.servers.sqlserver_server import StandInServer

DATABASE = "shop"


class Source(Protocol):
    """A database with a table."""

    def properties(self, prefix: str) -> dict[str, str]:
        """The connector's."""

    def topic(self, prefix: str) -> str:
        """The table's."""

    def change(self) -> None:
        """Insert a row; it is in the log, and captured, when this returns."""


class _MySql:
    def __init__(self, server: MySqlServer) -> None:
        self._server = server
        self._rows = 0
        server.create_connector_user()
        server.sql(f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.orders (id int PRIMARY KEY, note varchar(40))")

    def properties(self, prefix: str) -> dict[str, str]:
        return {
            "name": prefix,
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "topic.prefix": prefix,
            "database.hostname": self._server.host,
            "database.port": str(self._server.port),
            "database.user": "tailrace",
            "database.password": "tailrace",
            "database.server.id": "4711",
            "database.include.list": DATABASE,
            "snapshot.mode": "no_data",
        }

    def topic(self, prefix: str) -> str:
        return f"{prefix}.{DATABASE}.orders"

    def change(self) -> None:
        self._rows += 1
        self._server.sql(f"INSERT INTO {DATABASE}.orders VALUES ({self._rows}, 'row {self._rows}')")


class _SqlServer:
    def __init__(self, server: StandInServer) -> None:
        self._server = server
        self._database: Database = server.create_database(DATABASE)
        self._rows = 0
        self._database.sql("CREATE TABLE orders (id int PRIMARY KEY, note nvarchar(40))")
        self._database.capture("orders")

    def properties(self, prefix: str) -> dict[str, str]:
        given: dict[str, Any] = self._server.properties(DATABASE)
        del given["poll.interval.ms"]
        return {**given, "name": prefix, "topic.prefix": prefix}

    def topic(self, prefix: str) -> str:
        return f"{prefix}.{DATABASE}.dbo.orders"

    def change(self) -> None:
        self._rows += 1
        self._database.sql(f"INSERT INTO orders VALUES ({self._rows}, 'row {self._rows}')")
        self._database.step()


@contextmanager
def mysql() -> Iterator[Source]:
    """A context with a MySQL server of its own."""
    with MySqlServer() as server:
        yield _MySql(server)


@contextmanager
def sqlserver() -> Iterator[Source]:
    """A context with the stand-in of SQL Server."""
    with StandInServer() as server:
        yield _SqlServer(server)


SOURCES = {"mysql": mysql, "sqlserver": sqlserver}
