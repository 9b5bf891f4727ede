"""The logs that both sides read: a workload's tables and changes, and a marker behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.measuring.servers import Servers, offset

from bench import workloads

PARTITIONS = {"orders": 4, "wide": 4, "many": 1}


@dataclass(frozen=True)
class Data:
    """A workload in the log.

    Attributes:
        database: its database; the tables' and the marker's names begin the topics' ones behind the prefix.
        tables: the tables that change.
        before: Debezium's offset before the tables were made.
        records: how many records make it up, the tombstones and the marker counted.

    """

    database: str
    tables: tuple[str, ...]
    before: dict[str, Any]
    records: int
    partitions: int

    def topics(self, prefix: str) -> list[str]:
        """The topics of the changes."""
        return [f"{prefix}.{self.database}.{table}" for table in self.tables]

    def marker(self, prefix: str) -> str:
        """The topic of the row that is inserted last."""
        return f"{prefix}.{self.database}.marker"


def fill(servers: Servers, workload: str, metadata: str, changes: int) -> Data:
    """Write a workload into the log, from the making of its tables to a marker row, and say what it is."""
    mysql, database = servers.mysql, f"bench_{workload}_{metadata}".lower()
    mysql.sql(f"DROP DATABASE IF EXISTS {database}; SET GLOBAL binlog_row_metadata = '{metadata}'; FLUSH BINARY LOGS")
    before = offset(servers)
    mysql.sql(f"CREATE DATABASE {database}")
    with mysql.connect(database) as connection:
        workloads.create(connection, workload)
        workloads.fill(connection, workload, changes)
    tables = [name for (name,) in mysql.sql("SHOW TABLES", database)]
    mysql.sql("CREATE TABLE marker (id INT PRIMARY KEY); INSERT INTO marker VALUES (1)", database)
    return Data(database, tuple(tables), before, records(workload, changes), PARTITIONS[workload])


def records(workload: str, changes: int) -> int:
    """How many records the changes of a workload make, without the marker: a delete has a tombstone behind it."""
    counted = workloads.counted(workload, changes)
    return counted["changes"] + counted["deletes"]
