"""Snapshots in one transaction, as `snapshot.isolation.mode` requests them, with what Debezium promises of each mode.

The steps are Debezium's: a session for each database; in some modes a short lock on each table; then the position is
taken, the structures are read, the locks are released except in `exclusive`, and the tables are read one after the
other in the same transaction. Rows are not rewound to the position:

- `snapshot`: the tables as of the transaction's first read. What was committed between the position and that read comes
  again in the stream.
- `repeatable_read`, `exclusive`: rows that were read (or any table) can't be changed until the transaction ends.
  Changes in tables that are not read yet are read, and come again in the stream.
- `read_committed`, `read_uncommitted`: rows may be missed or come twice; with `read_uncommitted` there may be rows that
  were never committed.

The log after the position corrects everything except missed rows. Such a snapshot can't be resumed in another
transaction: if its process ends early, it begins again, with another position, and delivers all rows again.

Source: Debezium's documentation of the SQL Server connector, "Default workflow", and `snapshot.isolation.mode`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows, blocks_of
from tailrace.connectors.change_tables.snapshots.isolated import IsolatedSource, require_whole
from tailrace.connectors.sqlserver import catalog, transactions
from tailrace.connectors.sqlserver.connection import quoted
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource, opened_source

LEVELS: Final = {
    "read_uncommitted": "READ UNCOMMITTED",
    "read_committed": "READ COMMITTED",
    "repeatable_read": "REPEATABLE READ",
    "exclusive": "REPEATABLE READ",
    "snapshot": "SNAPSHOT",
}
LOCKING: Final = ("repeatable_read", "exclusive")
_SAVEPOINT: Final = "tailrace_structures"


def isolated_source(
    settings: SqlServerSettings, progress: Progress, keys: Mapping[str, Any]
) -> IsolatedSource[Database, ReadTable]:
    """Begin the transactions; `keys`: of the tables, from the progress."""
    require_whole(settings, progress)
    source = opened_source(
        settings,
        progress.restart,
        keys,
        attempts=1,  # a lost transaction can't be resumed
        with_overrides=True,
        reads_ahead=False,  # rows are delivered at once, without the log
    )
    before = POSITIONS.restart(progress.restart)
    return IsolatedSource(source, before, partial(_begin, settings), partial(_blocks, settings, source))


def _blocks(settings: SqlServerSettings, source: SqlServerSource, read: ReadTable) -> Iterator[ReadRows]:
    table = read.table.id
    sql = statements.whole(table, read.selects, override=source.override_of(table))
    with within_lock_timeout(settings, table):
        reading = source.database(table).reading()
        yield from blocks_of(read, lambda rows: reading.batches(sql, rows=rows))


def _begin(settings: SqlServerSettings, database: Database, position: DatabasePosition) -> DatabasePosition:
    """Begin a transaction and take its position, after the locks of the mode."""
    lsn = _begun(settings, database)
    if lsn <= position.lsn:
        return position
    # Asked by the other session: this transaction may keep what it reads locked.
    return replace(position, lsn=lsn, landmark=transactions.newest(database.asking, lsn))


def _begun(settings: SqlServerSettings, database: Database) -> Lsn:
    session, mode = database.reading(), str(settings.snapshot_isolation_mode)
    # A table hint would override the isolation level.
    database.hint = ""
    session.execute(f"SET TRANSACTION ISOLATION LEVEL {LEVELS[mode]}")
    session.execute("BEGIN TRANSACTION")
    if mode not in LOCKING:
        return catalog.max_lsn(session)
    locks = settings.snapshot_locking_mode != "none"
    # Locks can't be released one by one. A rollback to the savepoint releases those taken since, and keeps the
    # transaction.
    session.execute(f"SAVE TRANSACTION {_SAVEPOINT}")
    for table in database.tables if locks else ():
        with within_lock_timeout(settings, table):
            session.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)} WITH (TABLOCKX)")  # noqa: S608
    lsn = catalog.max_lsn(session)
    if mode == "repeatable_read":
        session.execute(f"ROLLBACK TRANSACTION {_SAVEPOINT}")
    return lsn
