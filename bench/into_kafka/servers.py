"""The MySQL and the Kafka broker that both sides work with, and the logs that they read."""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql

from bench import workloads
from tailrace.testing.kafka_broker import KafkaBroker
from tailrace.testing.mysql_server import MySqlServer

ROOT = Path(__file__).resolve().parent.parent.parent
PARTITIONS = {"orders": 4, "wide": 4, "many": 1}
MYSQL_FLAGS = ("--innodb-buffer-pool-size=512M", "--loose-innodb-redo-log-capacity=512M")
BROKER = {"message.max.bytes": 10485760}


@dataclass(frozen=True)
class Servers:
    """What both sides connect to, and how many seconds a run waits at most for a quiet machine."""

    mysql: MySqlServer
    broker: KafkaBroker
    patience: float

    @property
    def address(self) -> str:
        """The broker's."""
        return self.broker.address

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
        return {"broker": self.broker.pid, "mysql": listening(self.mysql.port)}


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


@contextmanager
def running(patience: float = 90) -> Iterator[Servers]:
    """Both servers, thrown away at the end."""
    with (
        MySqlServer(flags=MYSQL_FLAGS) as mysql,
        KafkaBroker(auto_create=True, heap="1g", java_options=(), properties=BROKER) as broker,
    ):
        yield Servers(mysql, broker, patience)


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


def forget(servers: Servers, data: Data) -> None:
    """Drop a workload's tables and its log, as nobody reads it any more."""
    with contextlib.suppress(pymysql.err.Error):  # a server that is gone has forgotten
        servers.mysql.sql(f"DROP DATABASE {data.database}; FLUSH BINARY LOGS")
        servers.mysql.sql(f"PURGE BINARY LOGS TO '{offset(servers)['file']}'")


def offset(servers: Servers) -> dict[str, Any]:
    """Where the log ends, as Debezium stores it."""
    file, position, _, _, gtids = servers.mysql.sql("SHOW BINARY LOG STATUS")[0]
    return {"file": file, "pos": int(position), "gtids": gtids.replace("\n", "")}


def records(workload: str, changes: int) -> int:
    """How many records the changes of a workload make, without the marker: a delete has a tombstone behind it."""
    counted = workloads.counted(workload, changes)
    return counted["changes"] + counted["deletes"]


def listening(port: int) -> int:
    """The process that listens on a port of the loopback; 0 when none is found."""
    inodes = set(_inodes(port))
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                for link in (folder / "fd").iterdir():
                    if os.readlink(link) in inodes:  # noqa: PTH115
                        return int(folder.name)
    return 0


def _inodes(port: int) -> Iterator[str]:
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    yield f"socket:[{fields[9]}]"


def machine() -> dict[str, Any]:
    """What it was measured on, without a name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 2**30),
        "architecture": platform.machine(),
    }


def versions(servers: Servers) -> dict[str, str]:
    """Of everything that takes part."""
    import confluent_kafka
    import numba
    import pyspark
    from tests.differential import jars

    from tailrace import __version__
    from tailrace.testing.kafka_jars import KAFKA

    connect = next((jar.stem.rpartition("-")[2] for jar in jars.debezium_jars() if "connect-runtime" in jar.name), "?")
    return {
        "tailrace": __version__,
        "Debezium": jars.DEBEZIUM,
        "Kafka Connect": connect,
        "Kafka broker": KAFKA,
        "MySQL": str(servers.mysql.variable("version")),
        "Java": _java(jars.java_home()),
        "Python": platform.python_version(),
        "PySpark": pyspark.__version__,
        "numba": numba.__version__,
        "librdkafka": str(confluent_kafka.libversion()[0]),
    }


def _java(home: Path) -> str:
    told = subprocess.run(
        [home / "bin" / "java", "-version"], capture_output=True, text=True, check=False, timeout=60
    ).stderr
    return told.partition('version "')[2].partition('"')[0] or "?"
