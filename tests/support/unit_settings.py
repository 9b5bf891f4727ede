"""Settings for tests that need no server."""

from typing import Any

from tailrace.config.settings import Settings
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.load import from_mapping
from tailrace.connectors.sqlserver.settings import SqlServerSettings

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


USUAL_OF_SQL_SERVER = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "topic.prefix": "server1",
    "database.hostname": "db.example.org",
    "database.user": "cdc",
    "database.names": "testDB",
    "snapshot.mode": "no_data",
}


def sqlserver_unit_settings(properties: dict[str, Any] | None = None) -> SqlServerSettings:
    """The usual settings of a SQL Server connector with some properties more."""
    found = from_mapping(USUAL_OF_SQL_SERVER | {name: str(value) for name, value in (properties or {}).items()})
    assert isinstance(found, SqlServerSettings)
    return found


USUAL_OF_DB2 = {
    "connector.class": "io.debezium.connector.db2.Db2Connector",
    "topic.prefix": "server1",
    "database.hostname": "localhost",
    "database.user": "cdc",
    "database.dbname": "TESTDB",
    "snapshot.mode": "no_data",
}


def db2_unit_settings(properties: dict[str, Any] | None = None) -> Db2Settings:
    """The usual settings of a Db2 connector with some properties more."""
    found = from_mapping(USUAL_OF_DB2 | {name: str(value) for name, value in (properties or {}).items()})
    assert isinstance(found, Db2Settings)
    return found
