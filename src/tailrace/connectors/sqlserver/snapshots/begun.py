"""How an incremental snapshot begins to read a table: with its key, and the greatest value of it.

Rows that get a greater key later are in the log.
"""

from __future__ import annotations

from dataclasses import replace

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.snapshots.bounds import bound_of_row
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.database import LOCKS
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey, keys_of, led_by
from tailrace.signalled.work import TableWork


def key_now(session: Session, instance: Instance, table: TableWork) -> ChunkKey | NoKey:
    """The key by which a table is read, as it is now, after the surrogate key if the signal names one."""
    key = keys_of(session, [instance])[table.table]
    return key if table.surrogate is None else led_by(session, instance, table.surrogate, key)


def begun(session: Session, table: TableWork, key: ChunkKey) -> TableWork | None:
    """A table with its key and its greatest key value now; None if it has no rows to read."""
    hint = "" if session.is_read_only else LOCKS
    sql = statements.greatest(table.table, key, hint, table.condition)
    with session.rolled_back():
        greatest = session.rows(sql)
    if not greatest:
        return None
    return replace(table, key=key.to_dict(), upto=bound_of_row(key, greatest[0]))
