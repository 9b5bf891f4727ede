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

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tailrace import epoch
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import restart_at
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows, blocks_of
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import quoted
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import statements
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.connectors.sqlserver.snapshots.source import opened_source, server_clock
from tailrace.errors import ConfigError
from tailrace.events.shape import Shape
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
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


class IsolatedSource:
    """A `LaneSource` that reads all rows of a database in one transaction; for the only lane.

    Attributes:
        restart: the position of the rows, which was taken after the locks.

    """

    def __init__(self, settings: SqlServerSettings, progress: Progress, keys: Mapping[str, Any]) -> None:
        """Begin the transactions; `keys`: of the tables, from the progress."""
        if "parts" not in (progress.snapshot or {}):
            raise ConfigError(
                "snapshot.isolation.mode can't be set while a snapshot is under way that was begun without it: leave the "
                "property out until that is done"
            )
        self._settings = settings
        self._mode = str(settings.snapshot_isolation_mode)
        self._source = opened_source(
            settings,
            progress.restart,
            keys,
            attempts=1,  # a lost transaction can't be resumed
            with_overrides=True,
            reads_ahead=False,  # rows are delivered at once, without the log
        )
        log.warning(
            "the snapshot is read in one transaction, as snapshot.isolation.mode=%s asks for: if it is stopped before it is "
            "done, it begins anew and tells all rows again",
            self._mode,
        )
        try:
            before = POSITIONS.restart(progress.restart)
            lsns = {name: before[name].lsn for name in before}
            for name, database in self._source.databases.items():
                lsns[name] = max(self._begin(database), lsns[name])
        except BaseException:
            self.close()
            raise
        self.restart = restart_at(lsns)

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        return self._source.chosen

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return self._source.whole

    def clock(self) -> int:
        """The server's clock, microseconds since the epoch."""
        return server_clock(self._source)

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        return self._source.shape_of(table)

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        self._source.note_records(table, count, size)

    def expect(self, segments: Iterable[Segment]) -> None:
        """Announce the next segments, which are not read ahead here."""
        self._source.expect(segments)

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment; None if the table is gone."""
        return self._source.read(segment)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Not needed here: no section of the log is read."""
        return self._source.inside(touches, rows, intervals)

    def has_room(self) -> bool:
        """False: no chunk waits for the log."""
        return False

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:  # noqa: ARG002
        """No sections: rows are delivered as they are read."""
        yield from ()

    def view(self, table: str) -> WholeTable | None:
        """The rows of a table without a key."""
        read = self._source.table(parse_id(table))
        return None if read is None else WholeTable(self, read)

    def close(self) -> None:
        """End the transactions."""
        self._source.close()

    def whole_rows(self, read: ReadTable) -> Iterator[ReadChunk]:
        """All rows of a table in no order, a block at a time."""
        table = read.table.id
        override = self._source.override_of(table)
        sql = statements.whole(table, read.selects, override=override)
        read_us = epoch.now_us()
        with within_lock_timeout(self._settings, table):
            reading = self._source.database(table).reading()
            for block in blocks_of(read, lambda rows: reading.batches(sql, rows=rows)):
                yield ReadChunk(read, [block], False, read_us, _no_digests)

    def _begin(self, database: Database) -> Lsn:
        """Begin a transaction and take its position, after the locks of the mode."""
        session = database.reading()
        # A table hint would override the isolation level.
        database.hint = ""
        session.execute(f"SET TRANSACTION ISOLATION LEVEL {LEVELS[self._mode]}")
        session.execute("BEGIN TRANSACTION")
        if self._mode not in LOCKING:
            return catalog.max_lsn(session)
        locks = self._settings.snapshot_locking_mode != "none"
        # Locks can't be released one by one. A rollback to the savepoint releases those taken since, and keeps the
        # transaction.
        session.execute(f"SAVE TRANSACTION {_SAVEPOINT}")
        for table in database.tables if locks else ():
            with within_lock_timeout(self._settings, table):
                session.rows(f"SELECT TOP (1) 1 FROM {quoted(table.schema, table.name)} WITH (TABLOCKX)")  # noqa: S608
        lsn = catalog.max_lsn(session)
        if self._mode == "repeatable_read":
            session.execute(f"ROLLBACK TRANSACTION {_SAVEPOINT}")
        return lsn


def _no_digests(blocks: Sequence[ReadRows]) -> Digests:
    """Zeros: nothing is compared with the log."""
    return np.zeros((sum(map(len, blocks)), 2), np.uint64)


class WholeTable:
    """A `View` that is read in the snapshot's transaction."""

    def __init__(self, of: IsolatedSource, read: ReadTable) -> None:
        self.position: Mapping[str, Any] = of.restart.to_dict()
        self._of = of
        self._read = read

    def holds(self) -> bool:
        """True: it is what the mode promises."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order."""
        yield from self._of.whole_rows(self._read)

    def close(self) -> None:
        """Do nothing: the transaction continues."""
