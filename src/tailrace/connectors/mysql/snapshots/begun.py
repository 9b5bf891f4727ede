"""With what an incremental snapshot begins to read a table: a key, and the greatest one of now.

What gets a greater key later is in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, in_time, read_only, rows
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.bounds import bound_of_row
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, keys_of, led_by
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.schema.tables import TableId
from tailrace.signalled.work import TableWork


def keys_now(connection: Connection, server: Server, tables: Sequence[TableWork]) -> dict[TableId, ChunkKey | NoKey]:
    """By which tables are to be read, as they are now: led by the surrogate key, where the signal names one."""
    keys = keys_of(connection, server, [table.table for table in tables])
    for table in tables:
        if table.surrogate is not None:
            keys[table.table] = led_by(connection, table.table, table.surrogate, keys[table.table])
    return keys


def begun(connection: Connection, settings: MySqlSettings, table: TableWork, key: ChunkKey) -> TableWork | None:
    """A table with its key, and the greatest one that it has now; None where it has no rows to read.

    Raises:
        SourceSetupError: the table's condition can't be asked for, or takes too long.

    """
    sql = statements.greatest(table.table, key, table.condition)
    with in_time(connection, settings), read_only(connection):
        greatest = rows(connection, sql)
    if not greatest:
        return None
    return replace(table, key=key.to_dict(), upto=bound_of_row(key, greatest[0]))
