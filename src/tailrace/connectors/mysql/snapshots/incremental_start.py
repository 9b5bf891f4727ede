"""How an incremental snapshot begins to read a table: with its key, and the greatest value of it.

Rows that get a greater key later are in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, in_time, read_only, rows
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.bounds import bound_of_row
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, leading, usable_keys
from tailrace.connectors.shared.snapshots.keys import NoKey, key_now
from tailrace.requested_work.work import TableWork
from tailrace.schema.tables import TableId


def keys_now(connection: Connection, server: Server, tables: Sequence[TableWork]) -> dict[TableId, ChunkKey | NoKey]:
    """The keys by which tables are read, as they are now, after the surrogate key if the signal names one.

    Of a table that was begun it is the one of then, if the table still has that.
    """
    found = usable_keys(connection, server, [table.table for table in tables])
    return {
        table.table: key_now(
            found[table.table],
            None if table.key is None else ChunkKey.from_dict(table.key),
            leading(connection, table.table, table.surrogate),
        )
        for table in tables
    }


def start_table(connection: Connection, settings: MySqlSettings, table: TableWork, key: ChunkKey) -> TableWork | None:
    """A table with its key and its greatest key value now; None if it has no rows to read.

    Raises:
        SourceSetupError: the server refuses the table's condition, or it takes too long.

    """
    sql = statements.greatest(table.table, key, table.condition)
    with in_time(connection, settings), read_only(connection):
        greatest = rows(connection, sql)
    if not greatest:
        return None
    return replace(table, key=key.to_dict(), upto=bound_of_row(key, greatest[0]))
