"""The logs that both sides read: a workload's tables and changes, and a marker row after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.measuring.observing import CountError
from bench.measuring.servers import Servers, forget, offset

from bench import workloads

PARTITIONS = {"orders": 4, "wide": 4, "stock": 4, "many": 1, "outbox": 4}
MARKER = "CREATE TABLE marker (id INT PRIMARY KEY); INSERT INTO marker VALUES (1)"
MARKERS = {"outbox": workloads.outbox_row(workloads.OUTBOX_MARKER)}  # of workloads whose marker is no table of its own


@dataclass(frozen=True)
class Data:
    """A workload in the log.

    Attributes:
        database: the database of its tables and the marker; topics are named after the prefix, it and the table.
        tables: the tables that change.
        before: Debezium's offset before the tables were created.
        records: the number of records, with tombstones and marker.

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
        """The topic of the marker, the row that is inserted last."""
        return f"{prefix}.{self.database}.marker"

    def check(self, found: Mapping[str, int], prefix: str) -> None:
        """Raise `CountError` if these are not the numbers of records, by topic, that the workload makes."""
        records = sum(found.values())
        if records != self.records + 1:
            raise CountError(f"{records:,} records of {prefix} are in Kafka and not {self.records + 1:,}")


@contextmanager
def filled(servers: Servers, workload: str, metadata: str, changes: int) -> Iterator[Data]:
    """A context with a workload in the log, which is removed at its end."""
    print(f"writing {changes:,} changes of {workload} with {metadata} metadata", flush=True)
    data = fill(servers, workload, metadata, changes)
    try:
        yield data
    finally:
        forget(servers, data.database)


def fill(servers: Servers, workload: str, metadata: str, changes: int) -> Data:
    """Write a workload into the log, from CREATE TABLE to the marker row."""
    mysql, database = servers.mysql, f"bench_{workload}_{metadata}".lower()
    mysql.sql(f"DROP DATABASE IF EXISTS {database}; SET GLOBAL binlog_row_metadata = '{metadata}'; FLUSH BINARY LOGS")
    before = offset(servers)
    mysql.sql(f"CREATE DATABASE {database}")
    with mysql.connect(database) as connection:
        workloads.create(connection, workload)
        workloads.fill(connection, workload, changes)
    tables = [name for (name,) in mysql.sql("SHOW TABLES", database)]
    mysql.sql(MARKERS.get(workload, MARKER), database)
    return Data(database, tuple(tables), before, records(workload, changes), PARTITIONS[workload])


def records(workload: str, changes: int) -> int:
    """The number of records of a workload's changes, without the marker; a delete has a tombstone after it."""
    counted = workloads.counted(workload, changes)
    return counted["changes"] + counted["deletes"]
