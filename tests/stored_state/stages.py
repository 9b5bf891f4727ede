"""Servers on which a story is played again so that its log is the same to the byte.

A position that was stored names a file and an offset, GTIDs and the UUID of a server, or an LSN. So the server of a
replay has the same identity, its log begins anew, and the same statements come in the same order. `mark` is where the log
then ends: a fixture has the mark behind each step, and a replay that comes to another one is an error, never skipped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.meanwhile import meanwhile
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.sqlserver_server import Database, StandInServer

ROOT = Path(__file__).parents[2]
DATABASE = "shop"
PREFIX = "stored"
MYSQL_UUID = "5a1e0000-0000-11f1-8000-000000000001"
MYSQL_SERVER_ID = 4711
PLAIN = {
    "name": "stored",
    "topic.prefix": PREFIX,
    "tombstones.on.delete": "false",
    "key.converter.schemas.enable": "false",
    "value.converter.schemas.enable": "false",
    "retriable.restart.connector.wait.ms": "300",
}
Step = list[Any]  # statements, and the mark behind them


class ReplayError(AssertionError):
    """The log of the replay is not the one that the stored positions are of."""


class Stage:
    """A server with one database, on which steps are played."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def play(self, *statements: str) -> None:
        """Run the statements, one after the other on one connection."""
        self._run(statements)
        self.steps.append([list(statements), self.mark()])

    def replay(self, steps: list[Step]) -> None:
        """Play steps again, and come to the same positions."""
        for statements, mark in steps:
            self.play(*statements)
            if self.steps[-1][1] != mark:
                raise ReplayError(
                    f"behind {statements} the log ends at {self.steps[-1][1]}, and the fixture has {mark}: this server writes "
                    "another log than the one that the fixture was made with; make it anew (tests/stored_state/README.md)"
                )


class MySqlStage(Stage):
    """A MySQL server of its own whose log begins anew."""

    def __init__(self, server: MySqlServer, metadata: str) -> None:
        super().__init__()
        self._server = server
        server.sql(f"SET GLOBAL binlog_row_metadata = {metadata}; DROP DATABASE IF EXISTS {DATABASE}")
        server.sql("RESET BINARY LOGS AND GTIDS")

    def properties(self) -> dict[str, str]:
        server = self._server
        return {
            "connector.class": "io.debezium.connector.mysql.MySqlConnector",
            "database.hostname": server.host,
            "database.port": str(server.port),
            "database.user": server.user,
            "database.password": server.password,
        }

    def mark(self) -> Any:
        row = self._server.sql("SHOW BINARY LOG STATUS")[0]
        return [row[0], row[1], row[4]]

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While something reads."""
        yield

    def _run(self, statements: tuple[str, ...]) -> None:
        with self._server.connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)


class SqlServerStage(Stage):
    """A database in a stand-in of its own; all that is written is captured at once."""

    def __init__(self, server: StandInServer) -> None:
        super().__init__()
        self._server = server
        self._database: Database = server.create_database(DATABASE)

    def properties(self) -> dict[str, str]:
        return self._database.properties()

    def mark(self) -> Any:
        newest = self._database.value("SELECT sys.fn_cdc_get_max_lsn()")
        return newest and newest.hex()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While something reads: who reads tables waits for the capture job."""
        with meanwhile(self._database.step):
            yield

    def _run(self, statements: tuple[str, ...]) -> None:
        for statement in statements:
            if statement.startswith("CAPTURE "):
                self._database.capture(statement.split()[1])
            else:
                self._database.sql(statement)
        self._database.capture_all()


class Servers:
    """Starts what scenarios ask for; MySQL servers are used again."""

    def __init__(self) -> None:
        self._mysql: dict[bool, MySqlServer] = {}
        self._standins: list[StandInServer] = []

    def stage(self, kind: str, *, gtid: bool, metadata: str) -> Stage:
        """A stage on which nothing was played yet."""
        if kind == "mysql":
            if gtid not in self._mysql:
                self._mysql[gtid] = mysql_of_that_identity(gtid=gtid)
            return MySqlStage(self._mysql[gtid], metadata)
        self._standins.append(StandInServer().start())  # of its own: LSNs are counted over all databases
        return SqlServerStage(self._standins[-1])

    def close(self) -> None:
        """All of them end."""
        for mysql in self._mysql.values():
            mysql.discard()
        for standin in self._standins:
            standin.stop()


def mysql_of_that_identity(*, gtid: bool) -> MySqlServer:
    """A MySQL server with the UUID that is in the GTIDs of all fixtures; it must be a process of this machine."""
    flags = ("--binlog-row-event-max-size=256",)  # a statement with many rows has many events
    server = MySqlServer(gtid=gtid, server_id=MYSQL_SERVER_ID, flags=flags).start()
    try:
        if server.socket is None:
            raise ReplayError("the fixtures need a MySQL server that is a process of this machine, to give it their UUID")
        server.stop()
        (server.socket.parent / "data" / "auto.cnf").write_text(f"[auto]\nserver-uuid={MYSQL_UUID}\n")
        server.start()
    except BaseException:
        server.discard()
        raise
    return server


def document(stage: Stage, properties: dict[str, str], **more: str) -> dict[str, Any]:
    """A connector's configuration, as `tailrace run` takes it."""
    config = {**stage.properties(), **PLAIN, **properties, **{name.replace("_", "."): value for name, value in more.items()}}
    return {"name": PREFIX, "config": json.loads(json.dumps(config))}
