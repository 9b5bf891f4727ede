"""Databases whose changes are captured into change tables, asked for in one way: for tests of what their connectors share.

All tables are in the schema `S`, and names of tables and columns are spelled in upper case, so that most SQL is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Final, Protocol

import pytest

from support.change_table_reading import PLAIN
from support.every_scenario import only_with_all
from tailrace_standins.servers.db2_server import Database as Db2Database
from tailrace_standins.servers.sqlserver_server import Database as SqlServerDatabase

SIGNALS: Final = "SIGNALS"


class Shop(Protocol):
    """A database with change tables.

    Attributes:
        database: its name.
        port: of its server.
        topic: of the tables' topics, what comes between the topic prefix and a table's name.

    """

    database: str
    port: int
    topic: str

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements in one transaction; the last one's rows."""

    def capture(self, *tables: str) -> None:
        """Capture tables from here on."""

    def uncapture(self, table: str) -> None:
        """Capture a table no more, and forget its changes."""

    def step(self) -> None:
        """Capture some of what is committed."""

    def capture_all(self) -> None:
        """Capture all that is committed."""

    def resume(self) -> None:
        """Let the log be captured by itself, until `pause`."""

    def pause(self) -> None:
        """End that."""

    def properties(self, **more: str) -> dict[str, str]:
        """A connector's configuration; in the names of `more` an underscore means a dot."""

    def named(self, table: str) -> str:
        """A table as signals name it."""

    def session(self) -> Any:
        """A connection of its own, for `run`; the caller closes it."""

    def run(self, session: Any, *statements: str) -> None:
        """Run statements in one transaction."""

    def hold(self, session: Any, statement: str) -> None:
        """Run a statement in a transaction that stays open."""


class SqlServerShop:
    """A database of SQL Server."""

    def __init__(self, database: SqlServerDatabase, mode: str = "") -> None:
        """`mode`: of reading (`data.query.mode`), if it is not the usual one."""
        self.given = database
        self._reading = {"data.query.mode": mode} if mode else {}
        self.database = database.name
        self.port = database.server.port
        self.topic = f"{database.name}.S"
        self.sql("CREATE SCHEMA S")

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        return self.given.sql(_in_one_transaction(*statements))

    def capture(self, *tables: str) -> None:
        for table in tables:
            self.given.capture(table, schema="S")

    def uncapture(self, table: str) -> None:
        self.given.uncapture(table, schema="S")

    def step(self) -> None:
        self.given.step()

    def capture_all(self) -> None:
        self.given.capture_all()

    def resume(self) -> None:
        self.given.resume()

    def pause(self) -> None:
        self.given.pause()

    def properties(self, **more: str) -> dict[str, str]:
        return self.given.properties(**more) | self._reading

    def named(self, table: str) -> str:
        return f"{self.database}.S.{table}"

    def session(self) -> Any:
        return self.given.server.connect(self.given.name)

    def run(self, session: Any, *statements: str) -> None:
        with session.cursor() as cursor:
            cursor.execute(_in_one_transaction(*statements))

    def hold(self, session: Any, statement: str) -> None:
        with session.cursor() as cursor:
            cursor.execute(f"BEGIN TRANSACTION; {statement}")


class Db2Shop:
    """A database of Db2."""

    def __init__(self, database: Db2Database) -> None:
        self.given = database
        self.database = database.database
        self.port = database.port
        self.topic = "S"

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        return self.given.sql(*statements)

    def capture(self, *tables: str) -> None:
        self.given.register(*(f"S.{table}" for table in tables))
        self.step()

    def uncapture(self, table: str) -> None:
        self.given.unregister(f"S.{table}")

    def step(self) -> None:
        self.given.replication.step()

    def capture_all(self) -> None:
        self.given.replication.step()

    def resume(self) -> None:
        self.given.replication.start()

    def pause(self) -> None:
        self.given.replication.stop()

    def properties(self, **more: str) -> dict[str, str]:
        return self.given.properties(**more)

    def named(self, table: str) -> str:
        return f"S.{table}"

    def session(self) -> Any:
        return self.given.connect()

    def run(self, session: Any, *statements: str) -> None:
        for statement in statements:
            self.hold(session, statement)
        session.commit()

    def hold(self, session: Any, statement: str) -> None:
        with session.cursor() as cursor:
            cursor.execute(statement)


KINDS: Final = ("sqlserver", "db2")
IN_LONG_RUNS: Final = (
    pytest.param("mysql", marks=pytest.mark.mysql),
    pytest.param("sqlserver", marks=pytest.mark.drivers),
    pytest.param("db2", marks=[pytest.mark.drivers, only_with_all]),  # minutes, for what it shares with SQL Server
)
"""MySQL and these."""


def shop_of(request: pytest.FixtureRequest) -> Shop:
    """A fresh database of the kind that a parametrised fixture is made for, and SQL Server's mode of reading behind it."""
    kind, _, mode = request.param.partition(" ")
    database = request.getfixturevalue(kind)
    return SqlServerShop(database, mode) if kind == "sqlserver" else Db2Shop(database)


def plain_properties(shop: Shop, **more: str) -> dict[str, str]:
    """A connector's configuration, with messages without schemas."""
    return shop.properties(**{**PLAIN, **more})


def signal_table(shop: Shop) -> None:
    """Make a table of signals, which is not captured."""
    shop.sql(f"CREATE TABLE S.{SIGNALS} (ID VARCHAR(40) NOT NULL PRIMARY KEY, TYPE VARCHAR(40), DATA VARCHAR(2000))")


def signal(shop: Shop, id_: str, type_: str, **data: Any) -> None:
    """Send a signal."""
    text = json.dumps(data).replace("'", "''")
    shop.sql(f"INSERT INTO S.{SIGNALS} VALUES ('{id_}', '{type_}', '{text}')")


def ask(shop: Shop, id_: str, *tables: str, **more: Any) -> None:
    """Send the signal that asks for tables of the shop."""
    signal(shop, id_, "execute-snapshot", **{"data-collections": [shop.named(table) for table in tables], **more})


@contextmanager
def held(shop: Shop, statement: str) -> Iterator[None]:
    """Somebody's transaction is open within the block, and taken back behind it."""
    with closing(shop.session()) as session:
        shop.hold(session, statement)
        yield
        session.rollback()


def _in_one_transaction(*statements: str) -> str:
    return statements[0] if len(statements) == 1 else f"BEGIN TRAN; {'; '.join(statements)}; COMMIT"
