"""Settings for tests that need no server."""

from typing import Any

from tailrace.config.load import from_mapping
from tailrace.config.settings import Settings

USUAL = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "topic.prefix": "dbz",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.server.id": "5401",
    "snapshot.mode": "no_data",
}


def unit_settings(properties: dict[str, Any] | None = None) -> Settings:
    """The usual settings with some properties more."""
    return from_mapping(USUAL | {name: str(value) for name, value in (properties or {}).items()})
