"""Settings for a test's server."""

import itertools
from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.load import from_mapping
from tailrace_standins.servers.mysql_server import Server

SERVER_IDS = itertools.count(70_000)  # each reader its own, unless a test wants otherwise


def settings_for(server: Server, **changes: Any) -> Settings:
    """Settings as the server's administrator; `include_query=True` is the property `include.query`."""
    return from_mapping(properties_for(server, **changes))


def properties_for(server: Server, **changes: Any) -> dict[str, str]:
    """The same as the properties of a connector."""
    usual = {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "topic.prefix": "test",
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": next(SERVER_IDS),
        "snapshot.mode": "no_data",
    }
    given = {name.replace("_", "."): value for name, value in changes.items() if value is not None}
    return {name: str(value) for name, value in {**usual, **given}.items()}


def stream_options(server: Server, database: str, **more: Any) -> dict[str, str]:
    """Options of `mysql-cdc` for one database, with up to ten readers side by side."""
    usual = {
        "database.hostname": server.host,
        "database.port": server.port,
        "database.user": server.user,
        "database.password": server.password,
        "database.server.id": next(SERVER_IDS) * 10,
        "topic.prefix": "test",
        "poll.interval.ms": 50,
        "database.include.list": database,
        "snapshot.max.threads": 3,
        "include.schema.changes": False,
        "tombstones.on.delete": False,
        "key.converter.schemas.enable": False,
        "value.converter.schemas.enable": False,
    }
    return {name: str(value) for name, value in {**usual, **more}.items()}
