"""Db2 as a database of the benchmark: the stand-in, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from bench.change_tables.plan import CATCH_UP, Sizes
from bench.change_tables.system import Data, IdleTables, Servers, Words
from bench.db2 import data as of_server
from bench.db2.ceiling import JCC, READERS, queries_of_debezium
from bench.measuring.servers import versions_of_sides, warm_broker
from tests.differential import jars

from tailrace.connectors.change_tables.windows import Window
from tailrace.connectors.db2 import structures
from tailrace.connectors.db2.change_tables import ALIAS, ChangeTableQuery, statement
from tailrace.connectors.db2.connection import connect, quoted
from tailrace.connectors.db2.lsn import LSNS
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.types import expressions
from tailrace.connectors.load import from_mapping
from tailrace.schema.tables import Column, TableId
from tailrace_standins.db2.inventory import CAPTURE_SCHEMA
from tailrace_standins.servers.db2_server import StandInServer

FAST, SLOW = 1, 30  # COMMIT_INTERVAL in seconds: of Debezium's image and guide, and IBM's default
NOTES = f"""The stand-in has its [shortcuts](db2-standin.md#speed-and-shortcuts) on, and every statement was asked before: in all rows, of both
sides and of the readers alone, the large tables are answered from rows that were encoded beforehand.

tailrace's snapshot takes no locks: it waits until the Capture program has passed what was read, which shows each time that it
commits; Debezium's takes an exclusive lock of the table for a moment and does not wait. The Capture program commits every {FAST} s here
(COMMIT_INTERVAL of Debezium's image and guide; *polling*). The row with {SLOW} s is the same run with IBM's default: the difference is
the waiting."""
ORDERS = TableId(of_server.NAME, of_server.SCHEMA, "ORDERS")


class Db2:
    """Db2 (`bench.change_tables.system.System`)."""

    words = Words("Db2", "db2-standin.md", "bench-db2", "registered tables", "the Capture program", NOTES)
    sizes = Sizes(changes=1_000_000, rows=1_000_000, instances=1_000, polling=FAST, other_polling=SLOW)
    readers = tuple(READERS)
    reading = "bench.db2.ceiling"

    def versions(self) -> dict[str, str]:
        """The versions of all programs."""
        import adbc_driver_db2

        driver = next(jar.stem.partition("jcc-")[2] for jar in _jars() if "jcc" in jar.name)
        return {
            **versions_of_sides(_jars()),
            "adbc-driver-db2": adbc_driver_db2.__version__,
            "IBM's JDBC driver (Debezium's)": driver,
        }

    @contextmanager
    def running(self, patience: float = 90) -> Iterator[Servers[StandInServer]]:
        """A context with both servers, which are removed at its end."""
        with StandInServer() as db2, warm_broker() as broker:
            yield Servers(broker, patience, db2)

    def filled(self, servers: Servers[StandInServer], task: str, changes: int) -> AbstractContextManager[Data]:
        """A context with the table and its captured changes (for a snapshot: its rows only)."""
        return of_server.filled(servers.source, task, changes)

    def idle_tables(self, servers: Servers[StandInServer], count: int) -> AbstractContextManager[IdleTables]:
        """A context with a database of `count` registered tables."""
        return of_server.idle_tables(servers.source, count, FAST)

    def properties(self, servers: Servers[StandInServer], prefix: str) -> dict[str, str]:
        """The connector's properties, for both sides."""
        return of_server.properties(servers.source, prefix)

    def job(self, servers: Servers[StandInServer], data: Data, task: str, reader: str) -> dict[str, Any]:
        """What a reader alone is told."""
        server = servers.source
        columns = _columns(self.properties(servers, "none"))
        return {
            "host": server.host,
            "port": server.port,
            "user": server.user,
            "password": server.password,
            "database": of_server.NAME,
            "rows": data.change_rows,
            **(_of_debezium(data, task, columns) if reader == JCC else _of_tailrace(data, task, columns)),
            "libjvm": str(jars.libjvm(jars.java_home())),
            "jars": [str(jar) for jar in _jars() if "jcc" in jar.name],
        }


def _of_debezium(data: Data, task: str, columns: tuple[Column, ...]) -> dict[str, Any]:
    places = of_server.commits(data) if task == CATCH_UP else range(data.changes + 1)
    return queries_of_debezium(task, _table(data, task), [quoted(column.name) for column in columns], places)


def _of_tailrace(data: Data, task: str, columns: tuple[Column, ...]) -> dict[str, Any]:
    """The statements of tailrace, for all of it."""
    selects = tuple(each.format(f"{ALIAS}.{quoted(column.name)}") for column in columns for each in expressions(column))
    table = _table(data, task)
    if task == CATCH_UP:
        sql, parameters = statement(ChangeTableQuery(table, selects), Window(LSNS.zero, LSNS.highest), None)
        return {"sql": sql, "parameters": [each.hex() for each in parameters]}
    return {"sql": f"SELECT {', '.join(selects)} FROM {table} AS {ALIAS} ORDER BY {ALIAS}.ID", "parameters": []}


def _table(data: Data, task: str) -> str:
    """The table to read, quoted."""
    if task != CATCH_UP:
        return quoted(of_server.SCHEMA, "ORDERS")
    query = f"SELECT CD_OWNER, CD_TABLE FROM {CAPTURE_SCHEMA}.IBMSNAP_REGISTER WHERE SOURCE_TABLE = 'ORDERS'"
    ((owner, table),) = data.database.sql(query)
    return quoted(owner, table)


def _columns(properties: dict[str, str]) -> tuple[Column, ...]:
    settings = from_mapping(properties)
    assert isinstance(settings, Db2Settings)
    with connect(settings) as session:
        return structures.tables(session, of_server.NAME, lambda table: table == ORDERS)[ORDERS].columns


def _jars() -> list[Path]:
    """Debezium's jars, with the JDBC driver that its users bring."""
    return jars.debezium_jars(jars.DB2)
