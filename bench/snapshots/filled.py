"""Tables whose rows are not in the log, so that only a snapshot can deliver them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.measuring.servers import Servers

from bench import workloads

PARTITIONS = 4
ROWS_A_STATEMENT = 20_000


@dataclass(frozen=True)
class Filled:
    """A database with tables, and the number of rows of each."""

    database: str
    rows: Mapping[str, int]

    def topic(self, prefix: str, table: str) -> str:
        """The topic of a table."""
        return f"{prefix}.{self.database}.{table}"

    def topics(self, prefix: str) -> list[str]:
        """The topics of all tables."""
        return [self.topic(prefix, table) for table in self.rows]


def fill(servers: Servers, database: str, rows: Mapping[str, int], *, step: int = 1) -> Filled:
    """Create tables of `workloads` in a new database and fill them; ids are `step`, 2 * `step` and so on."""
    servers.mysql.sql(f"DROP DATABASE IF EXISTS {database}; CREATE DATABASE {database}")
    with servers.mysql.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(f"{workloads.SETUP}, sql_log_bin = 0")
        for name, count in rows.items():
            workloads.create(connection, name)
            for first in range(0, count, ROWS_A_STATEMENT):
                cursor.execute(workloads.rows(name, first + 1, min(first + ROWS_A_STATEMENT, count), step=step))
            cursor.execute(f"ANALYZE TABLE {name}")
    return Filled(database, dict(rows))
