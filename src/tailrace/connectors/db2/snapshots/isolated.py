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

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from tailrace import epoch
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.db2 import transactions
from tailrace.connectors.db2.lsn import positions_of
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import statements
from tailrace.connectors.db2.snapshots.database import Database
from tailrace.connectors.db2.snapshots.locks import within_lock_timeout
from tailrace.connectors.db2.snapshots.read_tables import ReadTable
from tailrace.connectors.db2.snapshots.source import opened_source, server_clock
from tailrace.connectors.db2.snapshots.views import sliced
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
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
    "read_uncommitted": " WITH UR",
    "read_committed": " WITH CS",
    "repeatable_read": " WITH RS",
    "exclusive": " WITH RS",
}
LOCKING: Final = "exclusive"

log = logging.getLogger(__name__)


class IsolatedSource:
    """A `LaneSource` that reads all rows of a database in one transaction; for the only lane.

    Attributes:
        restart: the position of the rows, which was taken after the locks.

    """

    def __init__(self, settings: Db2Settings, progress: Progress, keys: Mapping[str, Any]) -> None:
        """Begin the transaction; `keys`: of the tables, from the progress."""
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
            before = positions_of(settings).restart(progress.restart)
            found = {name: before[name] for name in before}
            for name, database in self._source.databases.items():
                found[name] = self._begin(database, found[name])
        except BaseException:
            self.close()
            raise
        self.restart = RestartPosition(found)

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
        """End the transaction."""
        self._source.close()

    def whole_rows(self, read: ReadTable) -> Iterator[ReadChunk]:
        """All rows of a table in no order, a block at a time."""
        table = read.table.id
        sql = statements.whole(table, read.selects, LEVELS[self._mode], self._source.override_of(table))
        read_us = epoch.now_us()
        with within_lock_timeout(self._settings, table):
            for batch in sliced(self._source.database(table).selected(sql)):
                yield ReadChunk(read, [ReadRows(read, batch)], False, read_us, _no_digests)

    def _begin(self, database: Database, position: DatabasePosition) -> DatabasePosition:
        """Begin a transaction and take its position, after the locks of the mode."""
        database.isolation, database.is_one_transaction = LEVELS[self._mode], True
        if self._mode == LOCKING and self._settings.snapshot_locking_mode != "none":
            for table in database.tables:
                with within_lock_timeout(self._settings, table):
                    database.reading().execute(statements.locked(table, "EXCLUSIVE"))
        head = transactions.head(database.asking, self._settings)
        if head.lsn <= position.lsn:
            return position
        return replace(position, lsn=head.lsn, as_of_us=head.synchtime_us)


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
