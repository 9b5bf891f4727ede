"""Snapshots in one transaction, as `snapshot.isolation.mode` asks for them by name, with what Debezium promises of each.

The steps are Debezium's: a session for each database; where it says so, each table is locked for a moment; then the position
is taken, the structures are read, the locks are let go but for `exclusive`, and the tables are read one after the other in the
same transaction. What is read is not brought back to the position:

- `snapshot`: the tables as they were when the transaction first read. What was committed between that and the position
  before it comes in the stream once more.
- `repeatable_read`, `exclusive`: nobody alters what was read (any table) until the transaction ends; what is changed in tables
  that are still to be read is read, and comes in the stream once more.
- `read_committed`, `read_uncommitted`: rows may be missed or come twice, and with `read_uncommitted` be such as never were.

The log behind the position brings all of them right but for what was missed. Such a snapshot can't be gone on with in another
transaction: when its process ends before it is done, it begins anew, with another position, and tells the rows again.

Source: Debezium's documentation of the SQL Server connector, "Default workflow", and `snapshot.isolation.mode`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows, blocks_of
from tailrace.connectors.shared.snapshots.chunks import ReadChunk
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import quoted
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.connectors.sqlserver.snapshots.reading import SqlServerSnapshot, read_changes
from tailrace.errors import ConfigError
from tailrace.schema.history import parse_id
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.source import Section

LEVELS: Final = {
    "read_uncommitted": "READ UNCOMMITTED",
    "read_committed": "READ COMMITTED",
    "repeatable_read": "REPEATABLE READ",
    "exclusive": "REPEATABLE READ",
    "snapshot": "SNAPSHOT",
}
LOCKING: Final = ("repeatable_read", "exclusive")
_SAVEPOINT: Final = "tailrace_structures"

log = logging.getLogger(__name__)


class IsolatedSnapshot(SqlServerSnapshot):
    """A `SnapshotDatabase` of which all rows are read in one transaction a database; used by the only lane."""

    def __init__(
        self,
        settings: SqlServerSettings,
        progress: Progress,
        history: Sequence[HistoryRecord],
        keys: Mapping[str, Any],
    ) -> None:
        """As `SqlServerSnapshot`; the transactions begin."""
        if "parts" not in (progress.snapshot or {}):
            raise ConfigError(
                "snapshot.isolation.mode can't be set while a snapshot is under way that was begun without it: leave the "
                "property out until that is done"
            )
        super().__init__(settings, progress, history, keys, reads_ahead=False)  # what is read is delivered at once
        self._patience = replace(self._patience, attempts=1)  # a transaction that is lost can't be gone on with
        self._mode = str(settings.snapshot_isolation_mode)
        log.warning(
            "the snapshot is read in one transaction, as snapshot.isolation.mode=%s asks for: if it is stopped before it is "
            "done, it begins anew and tells all rows again",
            self._mode,
        )
        try:
            lsns = {name: self._restart[name].lsn for name in self._restart}
            for name, database in self._databases.items():
                lsns[name] = max(self._begun(database), lsns[name])
        except BaseException:
            self.close()
            raise
        self._restart = restart_at(lsns)
        self._changes = {name: read_changes(settings, lsn) for name, lsn in lsns.items()}

    @property
    def begins_anew(self) -> Mapping[str, Any]:
        """The position that the rows are of, which was taken behind the locks."""
        return self._restart.to_dict()

    def has_room(self) -> bool:
        """Nothing waits for the log."""
        return False

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:  # noqa: ARG002
        """Rows are delivered as they are read, whatever the log says."""
        yield from ()

    def view(self, table: str) -> WholeTable | None:
        """The rows of a table without a key."""
        read = self.table(parse_id(table))
        return None if read is None else WholeTable(self, read)

    def whole_rows(self, read: ReadTable) -> Iterator[ReadChunk]:
        """All rows of a table in no order, a block at a time."""
        table = read.table.id
        override = self._overrides.get(table)
        sql = statements.whole(table, read.selects, override=override)
        read_us = epoch.now_us()
        with within_lock_timeout(self._settings, table):
            reading = self._databases[table.catalog].reading()
            for block in blocks_of(read, lambda rows: reading.batches(sql, rows=rows)):
                yield ReadChunk(read, [block], False, read_us, _no_digests)

    def _begun(self, database: Database) -> Lsn:
        """Begin a transaction and take its position, behind the locks that belong to the mode."""
        session = database.reading()
        database.hint = ""
        session.execute(f"SET TRANSACTION ISOLATION LEVEL {LEVELS[self._mode]}")
        session.execute("BEGIN TRANSACTION")
        if self._mode not in LOCKING:
            return catalog.max_lsn(session)
        locks = self._settings.snapshot_locking_mode != "none"
        session.execute(f"SAVE TRANSACTION {_SAVEPOINT}")
        for table in database.tables if locks else ():
            with within_lock_timeout(self._settings, table):
                session.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)} WITH (TABLOCKX)")  # noqa: S608
        lsn = catalog.max_lsn(session)
        if self._mode == "repeatable_read":
            session.execute(f"ROLLBACK TRANSACTION {_SAVEPOINT}")
        return lsn


def _no_digests(blocks: Sequence[ReadRows]) -> Digests:
    """Nothing is compared with the log."""
    return np.zeros((sum(map(len, blocks)), 2), np.uint64)


class WholeTable:
    """A `View` that is read in the transaction of the snapshot."""

    def __init__(self, of: IsolatedSnapshot, read: ReadTable) -> None:
        self.position: Mapping[str, Any] = of.begins_anew
        self._of = of
        self._read = read

    def holds(self) -> bool:
        """It is what the mode promises."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order."""
        yield from self._of.whole_rows(self._read)

    def close(self) -> None:
        """The transaction goes on."""
