"""What the configuration knows of each connector: by `connector.class`, its properties, its settings, its names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from tailrace.config.entries import Entry
from tailrace.config.filters import Naming, SystemNames
from tailrace.config.problems import Problems
from tailrace.config.properties.connect import MYSQL, SQL_SERVER
from tailrace.config.property import PropertyTables
from tailrace.config.settings import Settings
from tailrace.config.values import Value
from tailrace.connectors.mysql import properties as mysql
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.sqlserver import properties as sqlserver
from tailrace.connectors.sqlserver.config_checks import check_sql_server
from tailrace.connectors.sqlserver.settings import SqlServerSettings

Check = Callable[[Mapping[str, Value], Mapping[str, Entry], Problems], None]


def _nothing_more(_values: Mapping[str, Value], _entries: Mapping[str, Entry], _problems: Problems) -> None:
    """There is nothing to check that other connectors have not."""


@frozen(kw_only=True)
class ConnectorKind:
    """One kind of connector, as its configuration has it.

    Attributes:
        database: the database's name, for people.
        tables: its properties.
        settings: what they become.
        naming: what lists of tables call a table.
        system: what is never captured.
        check: adds what contradicts itself, besides what is checked for every connector.

    """

    database: str
    tables: PropertyTables
    settings: type[Settings]
    naming: Naming
    system: SystemNames
    check: Check = _nothing_more


KINDS: Mapping[str, ConnectorKind] = {
    MYSQL: ConnectorKind(
        database="MySQL",
        tables=mysql.TABLES,
        settings=MySqlSettings,
        naming=Naming.DATABASE_TABLE,
        system=SystemNames(databases=frozenset({"mysql", "performance_schema", "sys", "information_schema"})),
    ),
    SQL_SERVER: ConnectorKind(
        database="SQL Server",
        tables=sqlserver.TABLES,
        settings=SqlServerSettings,
        naming=Naming.SCHEMA_TABLE,
        system=SystemNames(schemas=frozenset({"cdc", "sys"}), tables=frozenset({"systranschemas"})),
        check=check_sql_server,
    ),
}
"""The connectors that there are, by `connector.class`."""
