"""The demo's shop on the stand-in for SQL Server, which needs no installation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from tailrace.connectors.demo import COMMON, DATABASE, Shop, Statements
from tailrace.errors import ConfigError
from tailrace_standins.servers.sqlserver_server import Database, StandInServer, Unavailable

TABLES = ("customers", "orders", "products", "products_on_hand")
GO = re.compile(r"^GO\s*$", re.MULTILINE)  # the batch separator of Microsoft's tools
NO_PAUSES = (
    "EXEC sys.sp_cdc_change_job @job_type = N'capture', @pollinginterval = 0",
    "EXEC sys.sp_cdc_stop_job @job_type = N'capture'",
    "EXEC sys.sp_cdc_start_job @job_type = N'capture'",
)
_STATEMENTS = Statements(
    order="INSERT dbo.orders (order_date, purchaser, quantity, product_id) VALUES (CAST(GETDATE() AS date), ?, ?, ?)",
    sale="UPDATE dbo.products_on_hand SET quantity = quantity - ? WHERE product_id = ?",
    customer="INSERT dbo.customers (first_name, last_name, email) VALUES (?, ?, ?)",
    move="UPDATE dbo.customers SET email = ? WHERE id = ?",
    moved=("customers", "id", "box.{}@example.com"),
    restock="UPDATE dbo.products_on_hand SET quantity = quantity + 25 WHERE quantity < 30",
    cancel="DELETE dbo.orders WHERE id = ?",
    number="id",
)


@contextmanager
def opened(notice: Callable[[str], None]) -> Iterator[Shop]:
    """A shop on its own server, which is stopped at the end; raises `ConfigError` if it can't be started."""
    notice("starting the stand-in for SQL Server")
    try:
        with StandInServer() as server:
            yield _shop(server)
    except Unavailable as error:
        raise ConfigError(f"the demo needs a driver for SQL Server, or --source mysql: {error}") from error


def _shop(server: StandInServer) -> Shop:
    database = server.create_database(DATABASE)
    script = files("tailrace_standins.sqlserver").joinpath("inventory.sql").read_text(encoding="utf-8")
    for batch in GO.split(script):
        if batch.strip():
            database.sql(batch)
    _capture(database)
    config = {
        "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": server.user,
        "database.password": server.password,
        "database.names": DATABASE,
        "database.encrypt": False,
        **COMMON,
    }

    def connect() -> Any:
        connection = server.connect(DATABASE)
        connection.autocommit = False
        return connection

    place = f"the stand-in for SQL Server is at {server.host},{server.port}"
    return Shop(place, DATABASE, config, connect, _STATEMENTS)


def _capture(database: Database) -> None:
    """Enable change data capture for the shop's tables, with a capture job that follows each commit."""
    for table in TABLES:
        database.capture(table)
    for statement in NO_PAUSES:
        database.sql(statement)
    database.resume()
