"""SQL Server as a database of the benchmark: the stand-in, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from bench.change_tables.plan import CATCH_UP, Sizes
from bench.change_tables.system import Data, IdleTables, Servers, Words
from bench.measuring.servers import versions_of_sides, warm_broker
from bench.sqlserver import data as of_server
from bench.sqlserver.ceiling import READERS, queries
from tests.differential import jars

from tailrace_standins.servers.sqlserver_server import StandInServer

POLLING, EAGER = 5, 0  # polling interval of the capture job in seconds: SQL Server's default, and none
ROWS = 6_000_000  # of a snapshot: enough that the wait for the capture job is a small part of the time
NOTES = f"""The stand-in has its [shortcuts](sqlserver-standin.md#shortcuts) on: in all rows of `catch-up` and `snapshot`, of both sides and of the
readers alone, the large tables are answered from columns. Many capture instances without changes are too small for them.

tailrace's snapshot takes no locks: it waits until the capture job has passed what was read. A job scans the log every {POLLING} s
(SQL Server's own default; *polling*), and two scans prove it, so that what was read waits for {POLLING} to {2 * POLLING} s, while more is read;
Debezium's does not wait. The row with {EAGER} s is the same run where the job scans without a pause: the difference is the waiting."""


class SqlServer:
    """SQL Server (`bench.change_tables.system.System`)."""

    words = Words(
        "SQL Server", "sqlserver-standin.md", "bench-sqlserver", "capture instances", "the capture job", NOTES
    )
    sizes = Sizes(changes=1_000_000, rows=ROWS, instances=1_000, polling=POLLING, other_polling=EAGER)
    readers = tuple(READERS)
    reading = "bench.sqlserver.ceiling"

    def versions(self) -> dict[str, str]:
        """The versions of all programs."""
        import mssql_python

        driver = next(jar.stem.partition("mssql-jdbc-")[2] for jar in _jars() if "mssql-jdbc" in jar.name)
        return {
            **versions_of_sides(_jars()),
            "mssql-python": mssql_python.__version__,
            "Microsoft's JDBC driver (Debezium's)": driver,
        }

    @contextmanager
    def running(self, patience: float = 90) -> Iterator[Servers[StandInServer]]:
        """A context with both servers, which are removed at its end."""
        with StandInServer() as sqlserver, warm_broker() as broker:
            yield Servers(broker, patience, sqlserver)

    def filled(self, servers: Servers[StandInServer], task: str, changes: int) -> AbstractContextManager[Data]:
        """A context with the table and its captured changes (for a snapshot: its rows only)."""
        return of_server.filled(servers.source, task, changes)

    def idle_tables(self, servers: Servers[StandInServer], count: int) -> AbstractContextManager[IdleTables]:
        """A context with a database of `count` tables with a capture instance each."""
        return of_server.idle_tables(servers.source, count, EAGER)

    def properties(self, servers: Servers[StandInServer], prefix: str) -> dict[str, str]:
        """The connector's properties, for both sides."""
        return of_server.properties(servers.source, prefix)

    def job(self, servers: Servers[StandInServer], data: Data, task: str, reader: str) -> dict[str, Any]:
        """What a reader alone is told."""
        server = servers.source
        borders = of_server.commits(data) if task == CATCH_UP else range(data.changes + 1)
        return {
            "host": server.host,
            "port": server.port,
            "user": server.user,
            "password": server.password,
            "database": of_server.NAME,
            **queries(task, reader, borders),
            "libjvm": str(jars.libjvm(jars.java_home())),
            "jars": [str(jar) for jar in _jars() if "mssql-jdbc" in jar.name],
        }


def _jars() -> list[Path]:
    """Debezium's jars, with the JDBC driver that it brings."""
    return jars.debezium_jars(jars.SQL_SERVER)
