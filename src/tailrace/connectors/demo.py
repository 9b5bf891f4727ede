"""What the demo needs of a connector: a shop on a server of its own, and how a writer says things to it."""

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
"""Of each connector's configuration."""


@frozen
class Words:
    """The statements in a database's own words, with its driver's marks for arguments.

    Attributes:
        order: takes a customer, a quantity and a product.
        sale: takes the quantity and the product.
        customer: takes a first name, a last name and an address.
        move: takes a new address and the key of who moves.
        moved: whose addresses change: a table, its key's column, and what an address looks like.
        restock: of all that runs out.
        cancel: takes an order's key, whose column is `number`.

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
    """A database with a shop's tables.

    Attributes:
        place: what and where it is, for people.
        config: the connector's configuration.
        connect: gives a connection of the database's driver, in transactions of one's own.
        words: how the writer says things to it.

    """

    place: str
    config: Mapping[str, Any]
    connect: Callable[[], Any]
    words: Words
