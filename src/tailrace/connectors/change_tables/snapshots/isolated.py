"""Snapshots in one transaction, as `snapshot.isolation.mode` requests them: what is common to all databases.

The steps are Debezium's: a session for each database, with locks in some modes; then the position is taken, and the tables
are read one after the other in the same transaction. Rows are not rewound to the position, so the log after it corrects
everything but missed rows. Such a snapshot can't be resumed in another transaction: if its process ends early, it begins again,
with another position, and delivers all rows again. What each mode promises stands with the connectors.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic

import numpy as np

from tailrace import epoch
from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.positions import DatabasePosition, RestartPosition
from tailrace.connectors.change_tables.settings import ChangeTableSettings
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT, ReadT
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
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

log = logging.getLogger(__name__)


def require_whole(settings: ChangeTableSettings, progress: Progress) -> None:
    """Warn that the snapshot can't be resumed; raise `ConfigError` if it was begun by key ranges of several lanes."""
    if "parts" not in (progress.snapshot or {}):
        raise ConfigError(
            "snapshot.isolation.mode can't be set while a snapshot is under way that was begun without it: leave the "
            "property out until that is done"
        )
    log.warning(
        "the snapshot is read in one transaction, as snapshot.isolation.mode=%s asks for: if it is stopped before it is "
        "done, it begins anew and tells all rows again",
        settings.snapshot_isolation_mode,
    )


class IsolatedSource(Generic[DatabaseT, ReadT]):
    """A `LaneSource` that reads all rows of each database in one transaction; for the only lane.

    Attributes:
        source: of the rows.
        restart: the position of the rows, which was taken after the locks.

    """

    def __init__(
        self,
        source: ChangeTableSource[DatabaseT, ReadT],
        before: RestartPosition,
        begin: Callable[[DatabaseT, DatabasePosition], DatabasePosition],
        blocks: Callable[[ReadT], Iterator[ReadRows]],
    ) -> None:
        """Begin the transactions.

        Args:
            source: of rows, without attempts and without reading ahead; it is closed with this one.
            before: the position of the plan.
            begin: begins a transaction and gives its position, which is not before the given one.
            blocks: the rows of a table without a key, in no order.

        """
        self.source = source
        self._blocks = blocks
        try:
            found = {name: before[name] for name in before}
            for name, database in source.databases.items():
                found[name] = begin(database, found[name])
        except BaseException:
            self.close()
            raise
        self.restart = RestartPosition(found)

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        return self.source.chosen

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return self.source.whole

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events."""
        return self.source.shape_of(table)

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        self.source.note_records(table, count, size)

    def expect(self, segments: Iterable[Segment]) -> None:
        """Announce the next segments, which are not read ahead here."""
        self.source.expect(segments)

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment; None if the table is gone."""
        return self.source.read(segment)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Not needed here: no section of the log is read."""
        return self.source.inside(touches, rows, intervals)

    def has_room(self) -> bool:
        """False: no chunk waits for the log."""
        return False

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:  # noqa: ARG002
        """No sections: rows are delivered as they are read."""
        yield from ()

    def view(self, table: str) -> WholeTable | None:
        """The rows of a table without a key."""
        read = self.source.table(parse_id(table))
        if read is None:
            return None
        return WholeTable(self.restart.to_dict(), lambda: self._whole_rows(read))

    def close(self) -> None:
        """End the transactions."""
        self.source.close()

    def _whole_rows(self, read: ReadT) -> Iterator[ReadChunk]:
        """All rows of a table in no order, a block at a time."""
        read_us = epoch.now_us()
        for block in self._blocks(read):
            yield ReadChunk(read, [block], False, read_us, _no_digests)


def _no_digests(blocks: Sequence[ReadRows]) -> Digests:
    """Zeros: nothing is compared with the log."""
    return np.zeros((sum(map(len, blocks)), 2), np.uint64)


class WholeTable:
    """A `View` that is read in the snapshot's transaction."""

    def __init__(self, position: Mapping[str, Any], rows: Callable[[], Iterator[ReadChunk]]) -> None:
        self.position = position
        self._rows = rows

    def holds(self) -> bool:
        """True: it is what the mode promises."""
        return True

    def rows(self) -> Iterator[ReadChunk]:
        """All rows, in no order."""
        yield from self._rows()

    def close(self) -> None:
        """Do nothing: the transaction continues."""
