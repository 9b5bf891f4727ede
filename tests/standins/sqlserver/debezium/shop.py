"""A stand-in with the inventory database under change data capture, and real Debezium's connector that reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.differential import debezium, jars
from tests.differential.snapshots.running import PREFIX, Captured, Session
from tests.standins.sqlserver.engine.client import Client

from tailrace_standins.listener import HOST
from tailrace_standins.sqlserver.cdc import ChangeDataCapture, install
from tailrace_standins.sqlserver.engine.server import Engine
from tailrace_standins.sqlserver.inventory import fill
from tailrace_standins.sqlserver.server import StandIn

DATABASE = "inventory"
PASSWORD = "secret"
TABLES = ("products", "products_on_hand", "customers", "orders")
TRANSACTIONS = f"{PREFIX}.transaction"
_OF_A_TABLE = f"{PREFIX}.{DATABASE}.dbo."

Told = tuple[str, str, Any]


@dataclass(frozen=True)
class Shop:
    """The stand-in, its capture, and a session to change rows with."""

    capture: ChangeDataCapture
    server: StandIn
    client: Client

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.port

    def run(self, *batches: str) -> None:
        """Run batches; each statement of one is a transaction of its own, unless it says so."""
        for batch in batches:
            self.client.run(batch)

    def enable(self, table: str, instance: str | None = None) -> None:
        """A capture instance."""
        named = f", @capture_instance = N'{instance}'" if instance else ""
        self.run(
            f"EXEC sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N'{table}', @role_name = NULL{named}"
        )


@contextmanager
def opened() -> Iterator[Shop]:
    """A shop of which all tables are captured, every second."""
    engine = Engine(password=PASSWORD)
    capture = install(engine)
    try:
        fill(engine, DATABASE, PASSWORD)
        with StandIn(engine) as server:
            shop = Shop(capture, server, Client(engine, DATABASE))
            shop.run("EXEC sys.sp_cdc_enable_db")
            for table in TABLES:
                shop.enable(table)
            shop.run(
                "EXEC sys.sp_cdc_change_job @job_type = N'capture', @pollinginterval = 1",
                "EXEC sys.sp_cdc_stop_job @job_type = N'capture'",
                "EXEC sys.sp_cdc_start_job @job_type = N'capture'",
            )
            capture.wait(DATABASE)
            yield shop
    finally:
        engine.close()


class Reading(Session):
    """Debezium's SQL Server connector on a shop, in one run of the engine or several."""

    def _base(self) -> dict[str, str]:
        return {
            **debezium.stored_in(self.folder),
            "connector.class": jars.SQL_SERVER,
            "topic.prefix": PREFIX,
            "database.hostname": HOST,
            "database.port": str(self.server.port),
            "database.user": "sa",
            "database.password": PASSWORD,
            "database.names": DATABASE,
            "driver.encrypt": "false",
            "decimal.handling.mode": "string",
            "provide.transaction.metadata": "true",
            **{f"{part}.converter.schemas.enable": "false" for part in ("key", "value", "header")},
        }

    def until_told(self, count: int, what: str) -> list[Told]:
        """Wait for so many records of tables in all; gives what they tell."""
        self.until(lambda records: len(told(records)) >= count, f"{what}: {count} records")
        return told(self.records)


def told(records: Sequence[Captured]) -> list[Told]:
    """The records of tables: table, operation (empty for a tombstone), key."""
    return [
        (table(each), each.op or "", next(iter(each.record.key.values())))
        for each in records
        if each.record.topic.startswith(_OF_A_TABLE)
    ]


def table(record: Captured) -> str:
    """The table of a record's topic."""
    return record.record.topic.removeprefix(_OF_A_TABLE)


def of_tables(records: Sequence[Captured]) -> list[Captured]:
    """The records of tables."""
    return [record for record in records if record.record.topic.startswith(_OF_A_TABLE)]


def rows_after(records: Sequence[Captured], name: str) -> list[Mapping[str, Any]]:
    """Rows of a table as the events tell them, in their order; deletes and tombstones left out."""
    return [each.value["after"] for each in of_tables(records) if table(each) == name and each.value.get("after")]


def folded(records: Sequence[Captured]) -> dict[str, dict[Any, Mapping[str, Any]]]:
    """The tables that whoever applies all events has in the end, by key."""
    found: dict[str, dict[Any, Mapping[str, Any]]] = {name: {} for name in TABLES}
    for (name, operation, key), record in zip(told(records), of_tables(records), strict=True):
        if operation in {"c", "r", "u"}:
            found[name][key] = record.value["after"]
        else:
            found[name].pop(key, None)
    return found


def ends(records: Sequence[Captured]) -> list[Captured]:
    """The records that tell the end of a transaction."""
    return [each for each in records if each.record.topic == TRANSACTIONS and each.value["status"] == "END"]
