"""The SQL Server stand-in, in a process of its own, and the Kafka broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measuring.servers import Sink, new_broker, versions_of_sides
from tests.differential import jars

from tailrace_standins.servers.sqlserver_server import StandInServer

SERVER = "server"


@dataclass(frozen=True)
class Servers(Sink):
    """The servers that both sides connect to."""

    sqlserver: StandInServer

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
        return {**super().pids(), SERVER: self.sqlserver.pid}


@contextmanager
def running(patience: float = 90) -> Iterator[Servers]:
    """A context with both servers, which are removed at its end."""
    with StandInServer() as sqlserver, new_broker() as broker:
        yield Servers(broker, patience, sqlserver)


def versions() -> dict[str, str]:
    """The versions of all programs."""
    import mssql_python

    driver = next(jar.stem.partition("mssql-jdbc-")[2] for jar in jdbc_driver() if "mssql-jdbc" in jar.name)
    return {
        **versions_of_sides(jdbc_driver()),
        "mssql-python": mssql_python.__version__,
        "Microsoft's JDBC driver (Debezium's)": driver,
    }


def jdbc_driver() -> list[Path]:
    """Debezium's jars, with the JDBC driver that it brings."""
    return jars.debezium_jars(jars.SQL_SERVER)
