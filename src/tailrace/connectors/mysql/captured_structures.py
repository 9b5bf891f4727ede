"""The structures that the captured tables have now, asked of the server."""

from __future__ import annotations

from tailrace.connectors.mysql import catalog, connection, server_structures
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.structures import Structures
from tailrace.schema.tables import Table, TableId


def captured_tables(settings: MySqlSettings) -> dict[TableId, Table]:
    """The structure of each captured table, without locks. For errors see `connection.connect`."""
    with connection.connect(settings) as session:
        found = server_structures.structures(session, catalog.server(session), settings.tables.matches, locking=False)
    structures = Structures()
    for database, ddl in found.databases.items():
        structures.apply(database, ddl)
    for table, ddl in found.tables.items():
        structures.apply(table.catalog, ddl)
    return {table: structures[TableId(table.catalog, "", table.name)] for table in found.tables}
