"""The Kafka broker that both sides write to, and the MySQL server that they read (change tables: `bench.change_tables.system`)."""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql
from bench.measuring.warming import warm

from tailrace_standins.servers.kafka_broker import KafkaBroker
from tailrace_standins.servers.mysql_server import MySqlServer

ROOT = Path(__file__).resolve().parent.parent.parent
MYSQL_FLAGS = ("--innodb-buffer-pool-size=512M", "--loose-innodb-redo-log-capacity=512M")
BROKER = {"message.max.bytes": 10485760}


@dataclass(frozen=True)
class Sink:
    """The broker, and the maximum seconds that a run waits for a quiet machine."""

    broker: KafkaBroker
    patience: float

    @property
    def address(self) -> str:
        """The broker's."""
        return self.broker.address

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
        return {"broker": self.broker.pid}

    def stored_bytes(self, names: Iterable[str]) -> int:
        """The bytes of topics on the broker's disk."""
        folder = (self.broker.directory or Path()) / "data"
        return sum(log.stat().st_size for name in names for log in folder.glob(f"{name}-*/*.log"))


@dataclass(frozen=True)
class Servers(Sink):
    """The servers that both sides connect to."""

    mysql: MySqlServer

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
        return {**super().pids(), "mysql": listening(self.mysql.port)}


def new_broker() -> KafkaBroker:
    """A broker, not started yet."""
    return KafkaBroker(auto_create=True, heap="1g", java_options=(), properties=BROKER)


@contextmanager
def warm_broker() -> Iterator[KafkaBroker]:
    """A context with a broker whose code is compiled, so that no run pays for that."""
    with new_broker() as broker:
        print(f"{warm(broker.address):,} records have warmed the broker up", flush=True)
        yield broker


@contextmanager
def running(patience: float = 90, flags: tuple[str, ...] = ()) -> Iterator[Servers]:
    """A context with both servers, which are removed at its end; `flags` are further options of MySQL."""
    with MySqlServer(flags=(*MYSQL_FLAGS, *flags)) as mysql, warm_broker() as broker:
        yield Servers(broker, patience, mysql)


def offset(servers: Servers) -> dict[str, Any]:
    """The end of the log, as an offset in Debezium's form."""
    file, position, _, _, gtids = servers.mysql.sql("SHOW BINARY LOG STATUS")[0]
    return {"file": file, "pos": int(position), "gtids": gtids.replace("\n", "")}


def forget(servers: Servers, database: str) -> None:
    """Drop a database and purge the log, which nobody reads any more."""
    with contextlib.suppress(pymysql.err.Error):  # the server may have ended already
        servers.mysql.sql(f"DROP DATABASE {database}; FLUSH BINARY LOGS")
        servers.mysql.sql(f"PURGE BINARY LOGS TO '{offset(servers)['file']}'")


def listening(port: int) -> int:
    """The id of the process that listens on a port of the loopback; 0 if none is found."""
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
    """The machine's properties, without its name."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 2**30),
        "architecture": platform.machine(),
    }


def versions(servers: Servers) -> dict[str, str]:
    """The versions of all programs."""
    from tests.differential import jars

    return {**versions_of_sides(jars.debezium_jars()), "MySQL": str(servers.mysql.variable("version"))}


def versions_of_sides(debezium: list[Path]) -> dict[str, str]:
    """The versions of both sides and the broker; `debezium` are Debezium's jars."""
    import confluent_kafka
    import numba
    import pyspark
    from tests.differential import jars

    from tailrace import __version__
    from tailrace_standins.servers.kafka_jars import KAFKA

    connect = next((jar.stem.rpartition("-")[2] for jar in debezium if "connect-runtime" in jar.name), "?")
    return {
        "tailrace": __version__,
        "Debezium": jars.DEBEZIUM,
        "Kafka Connect": connect,
        "Kafka broker": KAFKA,
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
