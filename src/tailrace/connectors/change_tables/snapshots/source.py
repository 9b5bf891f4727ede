"""The database's side of a snapshot: chunks out of tables, and what the change tables say of their keys.

Up to which LSN the change tables tell what a chunk saw is known late, as what captures changes comes by every few seconds
(`capture.py`). So chunks are read ahead, and are asked for as far as it has passed them.

Chunks must show what is committed and nothing else; what is committed and still being made visible is waited for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic

import numpy as np

from tailrace.connectors.change_tables.lsn import Lsn, LsnForm
from tailrace.connectors.change_tables.snapshots import capture
from tailrace.connectors.change_tables.snapshots.ahead import ReadAhead
from tailrace.connectors.change_tables.snapshots.blocks import ReadRows
from tailrace.connectors.change_tables.snapshots.bounds import bound_at
from tailrace.connectors.change_tables.snapshots.chunk_reading import ONCE, Choice, ChunkReader, Patience
from tailrace.connectors.change_tables.snapshots.databases import DatabaseT, ReadT
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

GATHERED_BYTES: Final = 64 << 20  # as they are held, that may be asked for before the log is read
HELD_BYTES: Final = 2 * GATHERED_BYTES  # with those that were not asked for yet
UNPACKED_BYTES: Final = 32 << 20  # what is read while so many wait is packed
GATHERED_SECONDS: Final = 5.0
SETTLED_SECONDS: Final = 0.5  # after so many a moment is noted behind what was read ahead
LSN: Final = "lsn"
VIEW: Final = "view"  # in place of an LSN: where the view of a database is

log = logging.getLogger(__name__)


class ChangeTableSource(Generic[DatabaseT, ReadT]):
    """A `SnapshotSource` over the databases of one server, opened at P; used by one lane."""

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
        """A source that stands at P.

        Args:
            lsns: of the log.
            keys: by which tables are read, the connector's own JSON by their names.
            databases: of the tables, opened at P; they are closed with the source.
            conditions: of the user's own, for WHERE, for some of them.
            overrides: statements of the user's own that are read instead of tables.
            patience: for how long it is waited.
            rows_at_most: of a chunk; None: as many as some megabytes have.
            recompiles: the plan of a chunk's statement is made anew each time.
            reads_ahead: chunks wait for the log, many at a time: more are read meanwhile.

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
        self._seen: dict[str, int | None] = {}  # the moment behind what was asked for of a database; None: none was noted
        self._ahead, self._settled_at = ReadAhead(self._read_in_time, size_of, self._read_once), 0.0

    @property
    def chosen(self) -> frozenset[str]:
        """The tables of which a statement of the user's own chooses the rows."""
        return frozenset(map(quoted_id, self._overrides))

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return frozenset(name for name, key in self._keys.items() if key is None)

    def close(self) -> None:
        """Let go of the server."""
        for database in self._databases.values():
            database.close()

    @property
    def databases(self) -> Mapping[str, DatabaseT]:
        """Those of the tables."""
        return self._databases

    def override_of(self, table: TableId) -> str | None:
        """The statement of the user's own that is read instead of a table; None: there is none."""
        return self._overrides.get(table)

    def shape_of(self, table: Table) -> Shape:
        """Of read events of a structure, which may be one of before."""
        found: Shape = self._databases[table.id.catalog].tables.shape_of(table)
        return found

    def database(self, table: TableId) -> DatabaseT:
        """The database of one of the tables."""
        return self._databases[table.catalog]

    def move(self, table: TableId, point: Lsn) -> None:
        """Stand at another position of a table's database.

        Raises:
            PositionLostError: the changes of a table are not told from there on.

        """
        self._ahead.drop({quoted_id(table)})
        self._databases[table.catalog].move(point)

    def table(self, table: TableId) -> ReadT | None:
        """How a table is read; None where it is gone."""
        return self._chunks.table(table)

    def expect(self, segments: Iterable[Segment]) -> None:
        """They are read ahead."""
        if self._reads_ahead:
            self._ahead.expect(segments)

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment; None where the table is gone."""
        self._gathered_from = self._gathered_from or time.monotonic()
        found = self._ahead.take(segment)
        chunk: ReadChunk | Unread | None = found.chunk
        if isinstance(chunk, ReadChunk):  # else nothing was seen
            name = parse_id(segment.table).catalog
            self._seen[name] = found.moment if self._seen.get(name, 0) is not None else None
        self._gathered_bytes += found.bytes
        self._read_ahead()
        return chunk

    def _read_in_time(self, segment: Segment) -> ReadChunk | Unread | None:
        """When its turn has come: how long a lock may be in the way is for the configuration to say."""
        with self._patience.in_time(parse_id(segment.table)):
            return self._read(segment)

    def _read_once(self, segment: Segment) -> ReadChunk | Unread | None:
        """Ahead of its turn: a lock that is in the way is waited for once."""
        return self._read(segment, attempts=1)

    def _read(self, segment: Segment, *, attempts: int | None = None) -> ReadChunk | Unread | None:
        packs = self._reads_ahead and self._held_bytes >= UNPACKED_BYTES
        return self._chunks.read(segment, attempts, packs=packs)

    def has_room(self) -> bool:
        """For what capture has passed already; for so many bytes, and for so long."""
        first, lasted = self._ahead.first, time.monotonic() - self._gathered_from
        if first is None or self._gathered_bytes >= GATHERED_BYTES or lasted >= GATHERED_SECONDS:
            return False
        if first.chunk is None:
            return True  # its table is gone: nothing was seen
        moments = self._databases[parse_id(first.segment.table).catalog].moments
        return first.moment is not None and bool(moments.is_passed(first.moment))

    def view(self, table: str) -> View | None:
        """A view of a table without a key, at a place where the log was not read yet, or up to where; None: it is gone."""
        name = parse_id(table)
        read, database = self.table(name), self._databases[name.catalog]
        if read is None:
            return None
        with self._patience.in_time(name):
            view: View = database.opened_view(read, self._overrides.get(name), {VIEW: name.catalog})
        return view

    def note_records(self, table: str, count: int, size: int) -> None:
        """So many rows of a table became records of so many bytes."""
        self._chunks.sizes.note_records(parse_id(table), count, size)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended, in pieces that end between transactions."""
        if upto is not None and LSN in upto:
            heads = {name: self._lsns.parse(text) for name, text in upto[LSN].items() if name in self._databases}
            for name, head in heads.items():
                self._databases[name].wait_for(head)  # another connection told it
            yield from self._sections(heads)
            return
        self._settle()
        if upto is None:
            databases, seen, self._seen = self._databases, self._seen, {}
        else:
            databases, seen = {upto[VIEW]: self._databases[upto[VIEW]]}, {upto[VIEW]: None}
        for name, moment in seen.items():
            yield from self._waited(databases[name], moment, reads_ahead=upto is None)
        altered = self._altered(databases.values())
        heads = {
            name: database.captured_up_to() if upto is None else database.place_of_view()
            for name, database in databases.items()
        }
        heads = {name: max(head, databases[name].reached) for name, head in heads.items()}
        self._gathered_bytes, self._gathered_from = 0, 0.0
        yield from self._sections(heads)
        altered |= self._altered(databases.values())  # meanwhile
        if altered:
            yield Section((), self._place(), altered)

    def _altered(self, databases: Iterable[DatabaseT]) -> frozenset[str]:
        """The tables of which the structure changed since this was asked; what was read ahead of them is worth nothing."""
        names = frozenset(quoted_id(table) for database in databases for table in database.tables.altered())
        self._ahead.drop(names)
        return names

    def inside(self, touched: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a key before that lies in one of the intervals."""
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
        """Until capture has passed a moment, of now if none was noted; meanwhile others may have their turn."""
        for _ in database.moments.passing(database.moments.note() if moment is None else moment):
            has_read = reads_ahead and self._read_ahead()
            yield Section((), self._place())
            if not has_read:
                self._settle()
                time.sleep(capture.POLL_SECONDS)

    def _read_ahead(self) -> bool:
        """Another chunk, where there is room for it; now and then a moment is noted behind them."""
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
        """Of what waits: what was asked for, and what was read ahead."""
        return self._ahead.bytes + self._gathered_bytes

    def _settle(self) -> None:
        """Note a moment behind all that was read ahead."""
        numbers: dict[str, int] = {}
        for waiting in self._ahead.unsettled:
            name = parse_id(waiting.segment.table).catalog
            if name not in numbers:
                numbers[name] = self._databases[name].moments.note()
            waiting.moment = numbers[name]
        self._settled_at = time.monotonic()

    def _sections(self, heads: Mapping[str, Lsn]) -> Iterator[Section]:
        """Up to these places."""
        for name, head in heads.items():
            database = self._databases[name]
            while database.reached < head:
                yield Section(next_section(database, head), self._place())

    def _place(self) -> dict[str, Any]:
        return {LSN: {name: database.reached.text for name, database in self._databases.items()}}


def size_of(chunk: ReadChunk | Unread | None) -> int:
    """About how many bytes a chunk holds while it waits."""
    blocks = chunk.blocks if isinstance(chunk, ReadChunk) else ()
    return sum(block.held_bytes for block in blocks if isinstance(block, ReadRows))
