"""The demo's shop on a MySQL of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from tailrace.connectors.demo import COMMON, DATABASE, PASSWORD, USER, Shop, Statements
from tailrace.errors import ConfigError
from tailrace_standins.servers.mysql_install import Unavailable
from tailrace_standins.servers.mysql_server import MySqlServer

_STATEMENTS = Statements(
    order="INSERT INTO orders (order_date, purchaser, quantity, product_id) VALUES (CURRENT_DATE, %s, %s, %s)",
    sale="UPDATE products_on_hand SET quantity = quantity - %s WHERE product_id = %s",
    customer="INSERT INTO customers (first_name, last_name, email) VALUES (%s, %s, %s)",
    move="UPDATE addresses SET street = %s WHERE id = %s",
    moved=("addresses", "id", "{} Mill Lane"),
    restock="UPDATE products_on_hand SET quantity = quantity + 25 WHERE quantity < 30",
    cancel="DELETE FROM orders WHERE order_number = %s",
    number="order_number",
)


@contextmanager
def opened(notice: Callable[[str], None]) -> Iterator[Shop]:
    """A shop on a server that is gone at the end; `ConfigError` where it can't be had."""
    notice("starting a MySQL server")
    try:
        with MySqlServer() as server:
            yield _shop(server)
    except Unavailable as error:
        raise ConfigError(f"the demo needs a MySQL server program for --source mysql: {error}") from error


def _shop(server: MySqlServer) -> Shop:
    server.create_connector_user(USER, PASSWORD)
    server.sql(files("tailrace.connectors.mysql").joinpath("inventory.sql").read_text(encoding="utf-8"))
    config = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": USER,
        "database.password": PASSWORD,
        "database.server.id": 184054,
        "database.include.list": DATABASE,
        **COMMON,
    }

    def connect() -> Any:
        connection = server.connect(DATABASE)
        connection.autocommit(False)
        return connection

    return Shop(f"MySQL is at {server.host}:{server.port}", DATABASE, config, connect, _STATEMENTS)
