"""Snapshots in one transaction, as `snapshot.isolation.mode` requests them, with what Debezium promises of each mode.

The steps are Debezium's: the position is taken, the structures are read, and the tables are read one after the other in
the same transaction, with the isolation of the mode (`WITH UR`, `CS`, `RS`). Rows are not rewound to the position:

- `exclusive`: nobody can change any of the tables until the transaction ends. Debezium's statement for that locks
  nothing; here it is LOCK TABLE, unless `snapshot.locking.mode` is `none`.
- `repeatable_read`: rows that were read can't be changed until the transaction ends. Changes of what is not read yet
  are read, and come again in the stream. Debezium's locks while structures are read end before the first row, and are
  none.
- `read_committed`, `read_uncommitted`: rows may be missed or come twice; with `read_uncommitted` there may be rows that
  were never committed.

The log after the position corrects everything except missed rows. Such a snapshot can't be resumed in another
transaction: if its process ends early, it begins again, with another position, and delivers all rows again.

Source: Debezium's documentation of the Db2 connector, "Default workflow", and `snapshot.isolation.mode`; IBM Db2
documentation, "Isolation levels"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.isolated import IsolatedSource, require_whole
from tailrace.connectors.db2 import transactions
from tailrace.connectors.db2.lsn import positions_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import statements
from tailrace.connectors.db2.snapshots.database import Database
from tailrace.connectors.db2.snapshots.locks import within_lock_timeout
from tailrace.connectors.db2.snapshots.read_tables import ReadTable
from tailrace.connectors.db2.snapshots.source import Db2Source, opened_source
from tailrace.connectors.db2.snapshots.views import sliced

LEVELS: Final = {
    "read_uncommitted": " WITH UR",
    "read_committed": " WITH CS",
    "repeatable_read": " WITH RS",
    "exclusive": " WITH RS",
}
LOCKING: Final = "exclusive"


def isolated_source(
    settings: Db2Settings, progress: Progress, keys: Mapping[str, Any]
) -> IsolatedSource[Database, ReadTable]:
    """Begin the transaction; `keys`: of the tables, from the progress."""
    require_whole(settings, progress)
    source = opened_source(
        settings,
        progress.restart,
        keys,
        attempts=1,  # a lost transaction can't be resumed
        with_overrides=True,
        reads_ahead=False,  # rows are delivered at once, without the log
    )
    before = positions_of(settings).restart(progress.restart)
    return IsolatedSource(source, before, partial(_begin, settings), partial(_blocks, settings, source))


def _blocks(settings: Db2Settings, source: Db2Source, read: ReadTable) -> Iterator[ReadRows]:
    table = read.table.id
    sql = statements.whole(table, read.selects, LEVELS[_mode(settings)], source.override_of(table))
    with within_lock_timeout(settings, table):
        for batch in sliced(source.database(table).selected(sql)):
            yield ReadRows(read, batch)


def _begin(settings: Db2Settings, database: Database, position: DatabasePosition) -> DatabasePosition:
    """Begin a transaction and take its position, after the locks of the mode."""
    mode = _mode(settings)
    database.isolation, database.is_one_transaction = LEVELS[mode], True
    if mode == LOCKING and settings.snapshot_locking_mode != "none":
        for table in database.tables:
            with within_lock_timeout(settings, table):
                database.reading().execute(statements.locked(table, "EXCLUSIVE"))
    head = transactions.head(database.asking, settings)
    if head.lsn <= position.lsn:
        return position
    newest = transactions.landmark(database.asking, settings, head.lsn)
    return replace(position, lsn=head.lsn, as_of_us=head.synchtime_us, landmark=newest)


def _mode(settings: Db2Settings) -> str:
    return str(settings.snapshot_isolation_mode)
