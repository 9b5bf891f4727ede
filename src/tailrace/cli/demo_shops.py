"""The demo's shops: on the stand-in for SQL Server, which needs no server, or on the demo's own MySQL.

with opened("sqlserver") as shop:
    shop.config()                 # the connector's, as somebody would write it
    Writer(shop.connect(), shop.words)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from attrs import frozen

from tailrace.cli.demo_writer import Words
from tailrace.errors import ConfigError
from tailrace_standins.servers.mysql_install import Unavailable as NoMySql
from tailrace_standins.servers.mysql_server import MySqlServer
from tailrace_standins.servers.sqlserver_server import Database, StandInServer
from tailrace_standins.servers.sqlserver_server import Unavailable as NoStandIn

SQL_SERVER, MYSQL = "sqlserver", "mysql"
SOURCES = (SQL_SERVER, MYSQL)
USER, PASSWORD = "tailrace", "tailrace"
PREFIX = "dbserver1"
DATABASE = "inventory"
TABLES = ("customers", "orders", "products", "products_on_hand")
GO = re.compile(r"^GO\s*$", re.MULTILINE)  # ends a batch, in Microsoft's tools
NO_PAUSES = (
    "EXEC sys.sp_cdc_change_job @job_type = N'capture', @pollinginterval = 0",
    "EXEC sys.sp_cdc_stop_job @job_type = N'capture'",
    "EXEC sys.sp_cdc_start_job @job_type = N'capture'",
)
_COMMON = {
    "topic.prefix": PREFIX,
    "snapshot.mode": "no_data",
    "value.converter.schemas.enable": False,
    "key.converter.schemas.enable": False,
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
}
_OF_MYSQL = Words(
    order="INSERT INTO orders (order_date, purchaser, quantity, product_id) VALUES (CURRENT_DATE, %s, %s, %s)",
    sale="UPDATE products_on_hand SET quantity = quantity - %s WHERE product_id = %s",
    customer="INSERT INTO customers (first_name, last_name, email) VALUES (%s, %s, %s)",
    move="UPDATE addresses SET street = %s WHERE id = %s",
    moved=("addresses", "id", "{} Mill Lane"),
    restock="UPDATE products_on_hand SET quantity = quantity + 25 WHERE quantity < 30",
    cancel="DELETE FROM orders WHERE order_number = %s",
    number="order_number",
)
_OF_SQL_SERVER = Words(
    order="INSERT dbo.orders (order_date, purchaser, quantity, product_id) VALUES (CAST(GETDATE() AS date), ?, ?, ?)",
    sale="UPDATE dbo.products_on_hand SET quantity = quantity - ? WHERE product_id = ?",
    customer="INSERT dbo.customers (first_name, last_name, email) VALUES (?, ?, ?)",
    move="UPDATE dbo.customers SET email = ? WHERE id = ?",
    moved=("customers", "id", "box.{}@example.com"),
    restock="UPDATE dbo.products_on_hand SET quantity = quantity + 25 WHERE quantity < 30",
    cancel="DELETE dbo.orders WHERE id = ?",
    number="id",
)


@frozen
class Shop:
    """A database with a shop's tables.

    Attributes:
        place: what and where it is, for people.
        config: the connector's configuration.
        connect: opens a connection of the database's driver, without autocommit.
        words: the writer's statements.

    """

    place: str
    config: Mapping[str, Any]
    connect: Callable[[], Any]
    words: Words


@contextmanager
def opened(source: str, notice: Callable[[str], None]) -> Iterator[Shop]:
    """A shop on a temporary server; `ConfigError` if none is available."""
    if source == MYSQL:
        notice("starting a MySQL server")
        try:
            with MySqlServer() as server:
                yield _of_mysql(server)
        except NoMySql as error:
            raise ConfigError(f"the demo needs a MySQL server program for --source mysql: {error}") from error
        return
    notice("starting the stand-in for SQL Server")
    try:
        with StandInServer() as standin:
            yield _of_sql_server(standin)
    except NoStandIn as error:
        raise ConfigError(f"the demo needs a driver for SQL Server, or --source mysql: {error}") from error


def _of_mysql(server: MySqlServer) -> Shop:
    server.create_connector_user(USER, PASSWORD)
    server.sql(files("tailrace.cli").joinpath("inventory.sql").read_text(encoding="utf-8"))
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": USER,
        "database.password": PASSWORD,
        "database.server.id": 184054,
        "database.include.list": DATABASE,
        **_COMMON,
    }

    def connect() -> Any:
        connection = server.connect(DATABASE)
        connection.autocommit(False)
        return connection

    return Shop(f"MySQL is at {server.host}:{server.port}", config, connect, _OF_MYSQL)


def _of_sql_server(server: StandInServer) -> Shop:
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
        **_COMMON,
    }

    def connect() -> Any:
        connection = server.connect(DATABASE)
        connection.autocommit = False
        return connection

    return Shop(f"the stand-in for SQL Server is at {server.host},{server.port}", config, connect, _OF_SQL_SERVER)


def _capture(database: Database) -> None:
    """Under change data capture, whose job follows each commit."""
    for table in TABLES:
        database.capture(table)
    for statement in NO_PAUSES:
        database.sql(statement)
    database.resume()
