"""What makes a snapshot inexact or slow, reported before it is taken.

`checks.py` examines the server and the log. Here are the checks that only a snapshot needs, and those that matter more
for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tailrace.connectors.findings import SHOWN, Finding, Level, listed
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.cascades import cascades
from tailrace.connectors.mysql.catalog import Server, quoted
from tailrace.connectors.mysql.connection import Connection, rows
from tailrace.connectors.mysql.privileges import EVERYTHING, account, privileges
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.keys import keys_of
from tailrace.connectors.mysql.snapshots.planning import tables_to_read
from tailrace.connectors.mysql.snapshots.prepared_xa import prepared_now
from tailrace.connectors.mysql.snapshots.read_locks import may_lock, may_lock_tables
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.schema.tables import TableId

GLOBAL_LOCK: Final = frozenset({"RELOAD", "FLUSH_TABLES", EVERYTHING})


def conditions(connection: Connection, settings: MySqlSettings, captured: Sequence[TableId]) -> list[Finding]:
    """The obstacles to an exact snapshot: warnings, or one finding that there are none.

    Of the captured tables only those count that a snapshot reads; but a lock, if one is needed, is on all of them.
    """
    server, tables = catalog.server(connection), tables_to_read(settings, captured)
    found = list(_all(connection, server, tables))
    if not server.has_gtids:
        found += _locks(connection, settings, captured)
    return found or [Finding(Level.OK, f"a snapshot of the {len(tables)} tables is exact")]


def _all(connection: Connection, server: Server, tables: Sequence[TableId]) -> Iterator[Finding]:
    names = {(table.catalog, table.name) for table in tables}
    yield from _without_key(connection, server, tables)
    yield from _engines(connection, names)
    yield from cascades(connection, server, frozenset(tables).__contains__)
    yield from _images(server)
    yield from _xa(connection)


def _without_key(connection: Connection, server: Server, tables: Sequence[TableId]) -> Iterator[Finding]:
    for table, key in keys_of(connection, server, tables).items():
        if isinstance(key, NoKey):
            what = f"{table} is read whole, by one task and in one transaction: {key.reason}"
            name = f"{quoted(table.catalog)}.{quoted(table.name)}"
            yield Finding(Level.WARNING, what, f"give it a primary key (ALTER TABLE {name} ADD PRIMARY KEY ...)")


def _engines(connection: Connection, names: set[tuple[str, str]]) -> Iterator[Finding]:
    sql = (
        "SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.ENGINE FROM information_schema.TABLES t"
        " JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE WHERE e.TRANSACTIONS <> 'YES'"
        " AND t.TABLE_TYPE = 'BASE TABLE' AND t.TABLE_SCHEMA NOT IN %s"
    )
    found = [row for row in rows(connection, sql, catalog.SYSTEM_DATABASES) if (row[0], row[1]) in names]
    if found:
        shown = listed([f"{database}.{table} ({engine})" for database, table, engine in found])
        mends = (f"ALTER TABLE {quoted(d)}.{quoted(t)} ENGINE = InnoDB;" for d, t, _ in found[:SHOWN])
        what = f"the engines of these tables know no transactions, a snapshot of them is not exact: {shown}"
        yield Finding(Level.WARNING, what, " ".join(mends))


def _images(server: Server) -> Iterator[Finding]:
    image = server["binlog_row_image"].upper()
    if image not in {"", "FULL"}:
        what = f"binlog_row_image is {image}: rows that change during the snapshot are read as they are then"
        yield Finding(Level.WARNING, what, "SET PERSIST binlog_row_image = FULL;")


def _xa(connection: Connection) -> Iterator[Finding]:
    now = prepared_now(connection)
    if now is None:
        what = "whether XA transactions are prepared can't be asked: the user lacks the privilege XA_RECOVER_ADMIN"
        yield Finding(Level.WARNING, what, f"GRANT XA_RECOVER_ADMIN ON *.* TO {account(connection)};")
    elif now:
        what = f"XA transactions are prepared, and a snapshot waits for their end: {' '.join(sorted(now))}"
        yield Finding(Level.WARNING, what, "end them with XA COMMIT or XA ROLLBACK")


def _locks(connection: Connection, settings: MySqlSettings, tables: Sequence[TableId]) -> Iterator[Finding]:
    what = "GTIDs are off, and a snapshot is exact only with a read lock for a moment"
    if not may_lock(settings):
        mend = "turn GTIDs on, or choose another snapshot.locking.mode"
        yield Finding(
            Level.WARNING, f"{what}, which snapshot.locking.mode={settings.snapshot_locking_mode} excludes", mend
        )
        return
    granted = privileges(connection)
    if any(name in GLOBAL_LOCK and where == "*.*" for name, where in granted):
        return
    if may_lock_tables(settings) and all(_may_lock(granted, table) for table in tables):
        return
    yield Finding(
        Level.WARNING, f"{what}, which the user may not take", f"GRANT RELOAD ON *.* TO {account(connection)};"
    )


def _may_lock(granted: Sequence[tuple[str, str]], table: TableId) -> bool:
    places = {"*.*", f"{table.catalog}.*"}
    return any(name in {"LOCK TABLES", EVERYTHING} and where in places for name, where in granted)
