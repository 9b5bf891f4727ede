"""The database's side of a snapshot: chunks of tables, and changes of their keys in the change tables.

It is known only late up to which LSN the change tables have what a chunk saw, because capture runs every few seconds
(`capture.py`). So chunks are read ahead, and the snapshot takes them once capture has passed them.

Chunks must show committed rows and nothing else; a commit that is not visible yet is waited for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic

import numpy as np

from tailrace.connectors.change_tables import landmarks
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.bounds import bound_at
from tailrace.connectors.change_tables.snapshots.chunk_reading import ONCE, Choice, ChunkReader, Patience
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT, ReadT
from tailrace.connectors.change_tables.snapshots.read_ahead import ReadAhead
from tailrace.connectors.change_tables.snapshots.sections import next_section
from tailrace.connectors.change_tables.snapshots.touched_rows import TouchedRows
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.connectors.shared.snapshots.key_ranges import within_local
from tailrace.errors import RetriableError
from tailrace.events.shape import Shape
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
from tailrace.snapshot.source import Section, View

PENDING_BYTES: Final = 64 << 20  # of chunks that are taken before the log is read, as they are held
HELD_BYTES: Final = 2 * PENDING_BYTES  # with the chunks that are read ahead and not taken yet
UNPACKED_BYTES: Final = 32 << 20  # beyond it, chunks that wait are compressed
PENDING_SECONDS: Final = 5.0  # after it the log is read, however many chunks are ready
SETTLED_SECONDS: Final = 0.5  # between two times that are noted after chunks read ahead
LSN: Final = "lsn"
LANDMARKS: Final = "landmarks"  # of the databases, beside their LSNs
VIEW: Final = "view"  # instead of an LSN: the position of a database's view, which is not known yet

log = logging.getLogger(__name__)


class ChangeTableSource(Generic[DatabaseT, ReadT]):
    """A `SnapshotSource` over the databases of one server, opened at P; for one lane."""

    def __init__(
        self,
        lsns: LsnForm,
        keys: Mapping[str, Any],
        databases: Mapping[str, DatabaseT],
        conditions: Mapping[TableId, str] | None = None,
        overrides: Mapping[TableId, str] | None = None,
        patience: Patience = ONCE,
        rows_at_most: int | None = None,
        *,
        recompiles: bool = False,
        reads_ahead: bool = True,
    ) -> None:
        """A source at P.

        Args:
            lsns: the form of LSNs.
            keys: of the tables by name, the connector's own JSON; None for a table without a key.
            databases: of the tables, opened at P; they are closed with the source.
            conditions: of tables whose rows a signal selects, for WHERE.
            overrides: the user's statements that replace tables.
            patience: how long reads wait.
            rows_at_most: the greatest number of rows in a chunk; None: as many as fill some megabytes.
            recompiles: whether the plan of a chunk's statement is compiled each time.
            reads_ahead: whether further chunks are read while chunks wait for the log.

        """
        self._lsns = lsns
        self._keys = keys
        self._databases = databases
        self._overrides = {} if overrides is None else overrides
        self._patience = patience
        choice = Choice(conditions or {}, self._overrides, rows_at_most, recompiles)
        self._chunks: ChunkReader[DatabaseT, ReadT] = ChunkReader(databases, choice, patience)
        self._reads_ahead = reads_ahead
        self._gathered_bytes, self._gathered_from = 0, 0.0
        # By database, the number of the time noted after the chunks that were taken; None: none was noted after the
        # last one.
        self._seen: dict[str, int | None] = {}
        self._landmarks: dict[str, tuple[Lsn, Landmark | None]] = {}  # the last ones, and at which LSNs
        self._ahead, self._settled_at = ReadAhead(self._read_in_time, size_of, self._read_once), 0.0

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        return frozenset(map(quoted_id, self._overrides))

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return frozenset(name for name, key in self._keys.items() if key is None)

    def close(self) -> None:
        """Close the connections."""
        for database in self._databases.values():
            database.close()

    @property
    def databases(self) -> Mapping[str, DatabaseT]:
        """The databases of the tables."""
        return self._databases

    def override_of(self, table: TableId) -> str | None:
        """The user's statement that replaces a table; None if there is none."""
        return self._overrides.get(table)

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events; it may be an earlier structure."""
        found: Shape = self._databases[table.id.catalog].tables.shape_of(table)
        return found

    def database(self, table: TableId) -> DatabaseT:
        """The database of one of the tables."""
        return self._databases[table.catalog]

    def move(self, table: TableId, point: Lsn) -> None:
        """Move a table's database to another position.

        Raises:
            PositionLostError: the changes of a table are not retained from there on.

        """
        self._ahead.drop({quoted_id(table)})
        self._databases[table.catalog].move(point)

    def table(self, table: TableId) -> ReadT | None:
        """How a table is read; None if it is gone."""
        return self._chunks.table(table)

    def expect(self, segments: Iterable[Segment]) -> None:
        """Note which segments are read ahead."""
        if self._reads_ahead:
            self._ahead.expect(segments)

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment; None if the table is gone."""
        self._gathered_from = self._gathered_from or time.monotonic()
        found = self._ahead.take(segment)
        chunk: ReadChunk | Unread | None = found.chunk
        if isinstance(chunk, ReadChunk):  # otherwise no row was seen, and there is nothing to wait for
            name = parse_id(segment.table).catalog
            # If no time was noted after one of the chunks, the current time has to be waited for (None), whatever comes
            # later.
            self._seen[name] = found.moment if self._seen.get(name, 0) is not None else None
        self._gathered_bytes += found.bytes
        self._read_ahead()
        return chunk

    def _read_in_time(self, segment: Segment) -> ReadChunk | Unread | None:
        """Read a chunk when it is needed: the configuration limits how long it waits for a lock."""
        with self._patience.in_time(parse_id(segment.table)):
            return self._read(segment)

    def _read_once(self, segment: Segment) -> ReadChunk | Unread | None:
        """Read a chunk ahead: it waits only once for a lock."""
        return self._read(segment, attempts=1)

    def _read(self, segment: Segment, *, attempts: int | None = None) -> ReadChunk | Unread | None:
        packs = self._reads_ahead and self._held_bytes >= UNPACKED_BYTES
        return self._chunks.read(segment, attempts, packs=packs)

    def has_room(self) -> bool:
        """Whether the next chunk is ready: capture has passed it, and neither the size nor the time limit is reached."""
        first, lasted = self._ahead.first, time.monotonic() - self._gathered_from
        if first is None or self._gathered_bytes >= PENDING_BYTES or lasted >= PENDING_SECONDS:
            return False
        if first.chunk is None:
            return True  # its table is gone: there are no rows to wait for
        moments = self._databases[parse_id(first.segment.table).catalog].read_times
        return first.moment is not None and bool(moments.is_passed(first.moment))

    def view(self, table: str) -> View | None:
        """A view of a table without a key, at or after the position that the log was read to; None: it is gone."""
        name = parse_id(table)
        read, database = self.table(name), self._databases[name.catalog]
        if read is None:
            return None
        asked = read, self._overrides.get(name), {VIEW: name.catalog}
        with self._patience.in_time(name):
            view: View = self._chunks.tried(name, lambda: database.opened_view(*asked))
        return view

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        self._chunks.sizes.note_records(parse_id(table), count, size)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended, in sections that end between transactions."""
        if upto is not None and LSN in upto:
            heads = {name: self._lsns.parse(text) for name, text in upto[LSN].items() if name in self._databases}
            for name, head in heads.items():
                self._databases[name].wait_for(head)  # it was queried on another connection, perhaps of another replica
                if name in upto.get(LANDMARKS, {}):
                    self._databases[name].require_landmark(head, landmarks.parse(upto[LANDMARKS][name], self._lsns))
            yield from self._sections(heads)
            return
        self._settle()
        if upto is None:
            databases, seen, self._seen = self._databases, self._seen, {}
        else:
            databases, seen = {upto[VIEW]: self._databases[upto[VIEW]]}, {upto[VIEW]: None}
        for name, moment in seen.items():
            yield from self._waited(databases[name], moment, reads_ahead=upto is None)
        # Both before the heads are taken and after the log was read: DDL in between would make chunks look valid that
        # are not.
        altered = self._altered(databases.values())
        heads = {
            name: database.captured_up_to() if upto is None else database.view_position()
            for name, database in databases.items()
        }
        # The log is never read backwards.
        heads = {name: max(head, databases[name].reached) for name, head in heads.items()}
        self._gathered_bytes, self._gathered_from = 0, 0.0
        yield from self._sections(heads)
        altered |= self._altered(databases.values())  # while the log was read
        if altered:
            yield Section((), self._place(), altered)

    def _altered(self, databases: Iterable[DatabaseT]) -> frozenset[str]:
        """The tables whose structure changed since the last call; their chunks that were read ahead are dropped."""
        names = frozenset(quoted_id(table) for database in databases for table in database.tables.altered())
        self._ahead.drop(names)
        return names

    def inside(self, touched: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a before key in one of the intervals."""
        images: TouchedRows = touched.images
        table = images.table.id
        read, before = self.table(table), images.images[rows]
        if read is None or read.key is None:
            return np.zeros(len(rows), np.bool_)
        if read.key.is_local:
            return within_local([vector.data[before] for vector in images.keys], intervals)
        bounds = [bound_at(read.key, images.keys, int(image)) for image in before]
        within: Mask = self._databases[table.catalog].are_within(read, bounds, intervals)
        return within

    def _waited(self, database: DatabaseT, moment: int | None, *, reads_ahead: bool) -> Iterator[Section]:
        """Wait until capture has passed a time (the current one if none was noted); yields so that others can proceed."""
        for _ in database.read_times.wait_until_passed(database.read_times.note() if moment is None else moment):
            has_read = reads_ahead and self._read_ahead()
            yield Section((), self._place())
            if not has_read:
                self._settle()
                time.sleep(capture.POLL_SECONDS)

    def _read_ahead(self) -> bool:
        """Read another chunk ahead, if there is room; now and then a time is noted after them."""
        if self._held_bytes >= HELD_BYTES:
            return False
        try:
            if not self._ahead.step():
                return False
        except RetriableError as error:
            log.info("what can't be read ahead is read when its turn comes: %s", error)
            return False
        if time.monotonic() - self._settled_at >= SETTLED_SECONDS:
            self._settle()
        return True

    @property
    def _held_bytes(self) -> int:
        """The size of all waiting chunks: those that were taken, and those read ahead."""
        return self._ahead.bytes + self._gathered_bytes

    def _settle(self) -> None:
        """Note a time after all chunks that were read ahead."""
        numbers: dict[str, int] = {}
        for waiting in self._ahead.unsettled:
            name = parse_id(waiting.segment.table).catalog
            if name not in numbers:
                numbers[name] = self._databases[name].read_times.note()
            waiting.moment = numbers[name]
        self._settled_at = time.monotonic()

    def _sections(self, heads: Mapping[str, Lsn]) -> Iterator[Section]:
        """The sections up to these LSNs."""
        for name, head in heads.items():
            database = self._databases[name]
            while database.reached < head:
                yield Section(next_section(database, head), self._place())

    def _place(self) -> dict[str, Any]:
        """Up to where the logs are read, with what shows later that they are the same ones."""
        for name, database in self._databases.items():
            if name not in self._landmarks or self._landmarks[name][0] != database.reached:
                self._landmarks[name] = database.reached, database.landmark(database.reached)
        found = {name: seen.to_dict() for name, (_, seen) in self._landmarks.items() if seen is not None}
        place = {LSN: {name: database.reached.text for name, database in self._databases.items()}}
        return {**place, LANDMARKS: found} if found else place


def size_of(chunk: ReadChunk | Unread | None) -> int:
    """The approximate size of a waiting chunk in bytes."""
    blocks = chunk.blocks if isinstance(chunk, ReadChunk) else ()
    return sum(block.held_bytes for block in blocks if isinstance(block, ReadRows))
