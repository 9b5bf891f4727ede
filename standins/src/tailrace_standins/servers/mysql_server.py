"""A throwaway MySQL server, for the tests and the demo.

    with MySqlServer(gtid=False, row_metadata="MINIMAL") as server:
        server.sql("CREATE DATABASE inventory")
        with server.connect("inventory") as connection: ...

It listens on the loopback at a free port, and in a network namespace on another `address` too. User root has no password, TLS
uses the server's own certificates. Settings trade durability for speed: commits survive a kill of the server, but not a crash
of the machine.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.constants import CLIENT

from tailrace_standins.servers.mysql_install import Unavailable, find
from tailrace_standins.servers.mysql_process import Container, Launcher, LocalProcess
from tailrace_standins.servers.ports import free_port
from tailrace_standins.servers.waiting import wait_until

__all__ = ["GivenServer", "MySqlServer", "Server", "Unavailable"]

START_TIMEOUT = 120
FAST = (
    "--sync-binlog=0",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-doublewrite=OFF",
    "--innodb-buffer-pool-size=128M",
    "--loose-innodb-redo-log-capacity=64M",
    "--performance-schema=OFF",
    "--loose-mysqlx=OFF",
    "--max-allowed-packet=1G",
)
CONNECTOR_PRIVILEGES = "SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES"


class Server:
    """A running MySQL server, and how to connect to it."""

    def __init__(self, host: str, port: int, user: str = "root", password: str = "") -> None:
        self.host = host
        self.port = port
        self.user = user
        self.password = password

    @property
    def url(self) -> str:
        """Its URL, without the password."""
        return f"mysql://{self.user}@{self.host}:{self.port}"

    def connect(
        self,
        database: str | None = None,
        *,
        user: str | None = None,
        password: str | None = None,
        **options: Any,
    ) -> pymysql.Connection[Any]:
        """A connection in autocommit mode; the default user is the administrator."""
        if user is None:
            user, password = self.user, self.password
        given = {
            "charset": "utf8mb4",
            "autocommit": True,
            "init_command": "SET time_zone = '+00:00'",
            **options,
        }
        return pymysql.connect(
            host=self.host, port=self.port, user=user, password=password or "", database=database, **given
        )

    def sql(self, text: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Run statements, separated by semicolons, on a new connection; returns the last result's rows."""
        connection = self.connect(database, client_flag=CLIENT.MULTI_STATEMENTS)
        try:
            with connection.cursor() as cursor:
                cursor.execute(text)
                rows = list(cursor.fetchall())
                while cursor.nextset():
                    rows = list(cursor.fetchall()) if cursor.description else rows
                return rows
        finally:
            connection.close()

    def variable(self, name: str) -> Any:
        """The value of a global variable."""
        return self.sql(f"SELECT @@GLOBAL.{name}")[0][0]

    def create_connector_user(
        self,
        user: str = "tailrace",
        password: str = "tailrace",  # noqa: S107 -- of a server that is thrown away
        privileges: str = CONNECTOR_PRIVILEGES,
    ) -> None:
        """Create a user with the privileges that the documentation asks for, or with others."""
        self.sql(
            f"DROP USER IF EXISTS '{user}'@'%'; CREATE USER '{user}'@'%' IDENTIFIED BY '{password}'; "
            f"GRANT {privileges} ON *.* TO '{user}'@'%'"
        )


class GivenServer(Server):
    """A server that runs already, named by a URL: `mysql://user:password@host:port`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        user, password = unquote(parts.username or "root"), unquote(parts.password or "")
        super().__init__(parts.hostname or "127.0.0.1", parts.port or 3306, user, password)


class MySqlServer(Server):
    """A throwaway server.

    `flags` are further options of mysqld; they win over those of this module. `address` is one beside the loopback's.
    """

    def __init__(
        self,
        *,
        gtid: bool = True,
        row_metadata: str = "FULL",
        flags: tuple[str, ...] = (),
        port: int = 0,
        server_id: int | None = None,
        address: str = "",
    ) -> None:
        super().__init__("127.0.0.1", port or free_port())
        self._address = address
        self.server_id = server_id or random.randrange(10_000, 2**31)  # noqa: S311
        self.gtid = gtid
        self.row_metadata = row_metadata
        self.flags = flags
        self._launcher: Launcher | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.discard()

    @property
    def socket(self) -> Path | None:
        """The Unix socket; None if there is none."""
        return getattr(self._launcher, "socket", None)

    def start(self) -> Self:
        """Start it and wait until it answers. Raises `Unavailable` without a server program."""
        if self._launcher is None:
            self._launcher = self._new_launcher()
        self._launcher.launch(self._options())
        try:
            wait_until(self._answers, START_TIMEOUT, lambda: f"MySQL does not answer:\n{self._log_tail()}")
        except BaseException:
            self.discard()
            raise
        return self

    def stop(self) -> None:
        """Shut it down cleanly; its data stays for the next start."""
        if self._launcher is not None and self._launcher.running():
            self._launcher.terminate()

    def kill(self) -> None:
        """Kill it (SIGKILL); its data stays for the next start."""
        if self._launcher is not None:
            self._launcher.kill()

    def restart(self, flags: tuple[str, ...] | None = None) -> Self:
        """Stop it and start it again on the same port, with other flags if given."""
        self.stop()
        self.flags = self.flags if flags is None else flags
        return self.start()

    def discard(self) -> None:
        """Stop it and remove its files."""
        if self._launcher is not None:
            if self._launcher.running():
                self._launcher.kill()
            self._launcher.discard()
            self._launcher = None

    def _new_launcher(self) -> Launcher:
        program = find()
        if program.image:
            if self._address:
                raise Unavailable(f"a container does not listen on {self._address}: install a mysqld")
            return Container(program.image, self.port)
        return LocalProcess(program, Path(tempfile.mkdtemp(prefix="tailrace-mysql-")), self.port, self._address)

    def _options(self) -> list[str]:
        gtid = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"] if self.gtid else ["--gtid-mode=OFF"]
        log = ["--log-bin=mysql-bin", "--binlog-format=ROW", f"--binlog-row-metadata={self.row_metadata}"]
        own = [
            f"--server-id={self.server_id}",
            "--binlog-rows-query-log-events=ON",
            "--default-time-zone=+00:00",
        ]
        return [*own, *log, *gtid, *FAST, *self.flags]

    def _answers(self) -> bool:
        if self._launcher is not None and not self._launcher.running():
            raise Unavailable(f"the MySQL server ended while starting:\n{self._log_tail()}")
        try:
            self.connect(connect_timeout=5).close()
        except pymysql.err.Error:
            return False
        return True

    def _log_tail(self) -> str:
        return self._launcher.log_tail() if self._launcher else ""
