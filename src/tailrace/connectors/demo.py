"""What the demo needs from a connector: a shop on a server of its own, and the statements that change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

USER, PASSWORD = "tailrace", "tailrace"
PREFIX = "dbserver1"
DATABASE = "inventory"
COMMON = {
    "topic.prefix": PREFIX,
    "snapshot.mode": "no_data",
    "value.converter.schemas.enable": False,
    "key.converter.schemas.enable": False,
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "key.converter": "org.apache.kafka.connect.json.JsonConverter",
}
"""The properties that every connector's configuration has."""


@frozen
class Statements:
    """The shop's statements in a database's SQL, with its driver's parameter markers.

    Attributes:
        order: inserts an order. Parameters: customer, quantity, product.
        sale: reduces the stock of a product. Parameters: quantity, product.
        customer: inserts a customer. Parameters: first name, last name, address.
        move: changes an address. Parameters: the new address, the key.
        moved: whose address `move` changes: the table, its key column, and a format for the address.
        restock: refills all products that run out.
        cancel: deletes an order. Parameter: its key.
        number: the key column of orders.

    """

    order: str
    sale: str
    customer: str
    move: str
    moved: tuple[str, str, str]
    restock: str
    cancel: str
    number: str


@frozen
class Shop:
    """A database with the tables of a shop.

    Attributes:
        place: the server, for people.
        database: the database's name.
        config: the connector's configuration.
        connect: opens a connection of the database's driver, not in autocommit mode.
        statements: the writer's statements.

    """

    place: str
    database: str
    config: Mapping[str, Any]
    connect: Callable[[], Any]
    statements: Statements
