"""SQL Server's side of a snapshot: chunks out of tables, and what the change tables say of their keys.

Chunks are read under READ COMMITTED with locks, also where the database has row versions instead of them: what is committed
and still being made visible is waited for. On a replica, where only versions are to be had, a read shows what was applied to
it, which the change tables on it belong to.

Up to which LSN the change tables tell what a chunk saw is known late, as the capture job comes by every few seconds
(`passed.py`). So chunks are read ahead, and are asked for as far as the job has passed them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, TypeVar

import numpy as np

from tailrace import epoch
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots.ahead import ReadAhead
from tailrace.connectors.shared.snapshots.chunk_sizes import ChunkSizes
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread, key_digests
from tailrace.connectors.shared.snapshots.key_ranges import within_local
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.connectors.shared.snapshots.overrides import overrides_of
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.errors_of_driver import LockTimeoutError
from tailrace.connectors.sqlserver.lsn import LSNS
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.replicas import wait_for
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots import passed, statements, views
from tailrace.connectors.sqlserver.snapshots.blocks import BLOCK_ROWS, ReadRows
from tailrace.connectors.sqlserver.snapshots.bounds import bound_at
from tailrace.connectors.sqlserver.snapshots.database import Database
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.connectors.sqlserver.snapshots.locks import within_lock_timeout
from tailrace.connectors.sqlserver.snapshots.read_tables import ReadTable
from tailrace.connectors.sqlserver.snapshots.sections import next_section
from tailrace.connectors.sqlserver.snapshots.touched_rows import TouchedRows
from tailrace.errors import RetriableError, SourceSetupError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
from tailrace.snapshot.source import Section, View

GATHERED_BYTES: Final = 64 << 20  # as they are held, that may be asked for before the log is read
HELD_BYTES: Final = 2 * GATHERED_BYTES  # with those that were not asked for yet
UNPACKED_BYTES: Final = 32 << 20  # what is read while so many wait is packed
GATHERED_SECONDS: Final = 5.0
SETTLED_SECONDS: Final = 0.5  # after so many a moment is noted behind what was read ahead
ATTEMPTS: Final = 6
PAUSE_SECONDS: Final = 0.2
LSN: Final = "lsn"
VIEW: Final = "view"  # in place of an LSN: where the view of a database is

_T = TypeVar("_T")

log = logging.getLogger(__name__)


class SqlServerSource:
    """A `SnapshotSource` over one server, opened at P; used by one lane."""

    def __init__(
        self,
        settings: SqlServerSettings,
        point: Mapping[str, Any],
        keys: Mapping[str, Any],
        conditions: Mapping[TableId, str] | None = None,
        rows_at_most: int | None = None,
        lock_ms: int | None = None,
        *,
        with_overrides: bool = False,
        recompiles: bool = False,
        reads_ahead: bool = True,
    ) -> None:
        """A source that stands at P.

        Args:
            settings: of the connector.
            point: P as a restart position.
            keys: by which tables are read, the connector's own JSON by their names.
            conditions: of the user's own, for WHERE, for some of them.
            rows_at_most: of a chunk; None: as many as some megabytes have.
            lock_ms: for how long a read waits for a lock, once; None: as `snapshot.lock.timeout.ms` says, and again and again.
            with_overrides: statements of the user's own (`snapshot.select.statement.overrides`) are read instead of tables.
            recompiles: the plan of a chunk's statement is made anew each time.
            reads_ahead: chunks wait for the log, many at a time: more are read meanwhile.

        Raises:
            PositionLostError: the changes of a table are not told from P on.

        """
        self._option = statements.RECOMPILE if recompiles else ""
        self._reads_ahead = reads_ahead
        self._attempts = ATTEMPTS if lock_ms is None else 1
        self._settings, self._waits_as_configured = settings, lock_ms is None
        self._conditions = {} if conditions is None else conditions
        self._rows_at_most = rows_at_most
        self._sizes = ChunkSizes()
        self._gathered_bytes, self._gathered_from = 0, 0.0
        self._seen: dict[str, int | None] = {}  # the moment behind what was asked for of a database; None: none was noted
        self._ahead, self._settled_at = ReadAhead(self._read_in_time, size_of, self._read_once), 0.0
        self._databases: dict[str, Database] = {}
        restart, stored = POSITIONS.restart(point), stored_keys(keys, ChunkKey.from_dict)
        self._keys = keys
        self._overrides = overrides_of(settings, stored, lower_names=True) if with_overrides else {}
        patience = None if lock_ms is None else lock_ms / 1000
        lock_ms = settings.snapshot_lock_timeout_ms if lock_ms is None else lock_ms
        try:
            for name in dict.fromkeys(table.catalog for table in stored):
                its = {table: key for table, key in stored.items() if table.catalog == name}
                self._databases[name] = Database(settings, name, restart[name].lsn, its, lock_ms, patience)
                self._databases[name].chosen = {*self._overrides, *self._conditions}
        except BaseException:
            self.close()
            raise

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

    def database(self, table: TableId) -> Database:
        """The database of one of the tables."""
        return self._databases[table.catalog]

    def move(self, table: TableId, point: Lsn) -> None:
        """Stand at another position of a table's database.

        Raises:
            PositionLostError: the changes of a table are not told from there on.

        """
        self._ahead.drop({quoted_id(table)})
        self._databases[table.catalog].move(point)

    def any_session(self) -> Session:
        """A session for questions to the server."""
        return next(iter(self._databases.values())).asking

    def table(self, table: TableId) -> ReadTable | None:
        """How a table is read; None where it is gone."""
        return self._databases[table.catalog].tables.of(table)

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
        with within_lock_timeout(self._settings, parse_id(segment.table)) if self._waits_as_configured else nullcontext():
            return self._read(segment)

    def _read_once(self, segment: Segment) -> ReadChunk | Unread | None:
        """Ahead of its turn: a lock that is in the way is waited for once."""
        return self._read(segment, attempts=1)

    def _read(self, segment: Segment, *, attempts: int | None = None) -> ReadChunk | Unread | None:
        table = parse_id(segment.table)
        read = self.table(table)
        if read is None:
            log.warning("%s was dropped or renamed: what was not read of it is not in the snapshot", table)
            return None
        return self._unless_altered(table, lambda: self._selected(read, segment), attempts or self._attempts)

    def has_room(self) -> bool:
        """For what the capture job has passed already; for so many bytes, and for so long."""
        first, lasted = self._ahead.first, time.monotonic() - self._gathered_from
        if first is None or self._gathered_bytes >= GATHERED_BYTES or lasted >= GATHERED_SECONDS:
            return False
        if first.chunk is None:
            return True  # its table is gone: nothing was seen
        moments = self._databases[parse_id(first.segment.table).catalog].moments
        return first.moment is not None and moments.is_passed(first.moment)

    def view(self, table: str) -> View | None:
        """A view of a table without a key, at a place where the log was not read yet, or up to where; None: it is gone."""
        name = parse_id(table)
        read, database, override = self.table(name), self._databases[name.catalog], self._overrides.get(name)
        if read is None:
            return None
        statement = None if override is None else override.statement
        with within_lock_timeout(self._settings, name):
            view = views.opened(read, database.locking(), database.reading(), statement)
        view.position = {VIEW: name.catalog}  # the place is known when the capture job has passed it
        database.view = view
        return view

    def note_records(self, table: str, count: int, size: int) -> None:
        """So many rows of a table became records of so many bytes."""
        self._sizes.note_records(parse_id(table), count, size)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended, in pieces that end between transactions."""
        if upto is not None and LSN in upto:
            heads = {name: LSNS.parse(text) for name, text in upto[LSN].items() if name in self._databases}
            for name, head in heads.items():
                wait_for(self._databases[name].asking, head)  # another connection told it
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
        heads = {name: database.head(of_view=upto is not None) for name, database in databases.items()}
        self._gathered_bytes, self._gathered_from = 0, 0.0
        yield from self._sections(heads)
        altered |= self._altered(databases.values())  # meanwhile
        if altered:
            yield Section((), self._place(), altered)

    def _altered(self, databases: Iterable[Database]) -> frozenset[str]:
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
        return statements.are_within(self._databases[table.catalog].asking, read.key, bounds, intervals)

    def _waited(self, database: Database, moment: int | None, *, reads_ahead: bool) -> Iterator[Section]:
        """Until the capture job has passed a moment, of now if none was noted; meanwhile others may have their turn."""
        for _ in database.moments.passing(database.moments.note() if moment is None else moment):
            has_read = reads_ahead and self._read_ahead()
            yield Section((), self._place())
            if not has_read:
                self._settle()
                time.sleep(passed.POLL_SECONDS)

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

    def _unless_altered(self, table: TableId, read: Callable[[], _T], attempts: int) -> _T | Unread | None:
        """What reading gives; nothing where the table is not any more what it was when its structure was asked for."""
        try:
            return self._again_and_again(table, read, attempts)
        except SourceSetupError:
            if not self._databases[table.catalog].tables.is_altered(table):
                raise
            return None if self.table(table) is None else Unread()

    def _again_and_again(self, table: TableId, read: Callable[[], _T], attempts: int) -> _T:
        """Reading is tried again where it was a deadlock's victim, or waited too long for a lock."""
        for attempt in range(attempts):
            try:
                return read()
            except RetriableError as error:
                self._databases[table.catalog].forget_reading()
                is_final = isinstance(error, LockTimeoutError) and self._settings.lock_timeout_is_final
                if is_final or attempt == attempts - 1:
                    raise
                log.info("a chunk of %s is read again: %s", table, error)
                time.sleep(PAUSE_SECONDS * attempt)
        raise AssertionError

    def _selected(self, read: ReadTable, segment: Segment) -> ReadChunk:
        key, table = read.key, read.table.id
        if key is None:
            raise KeyError(table)
        database = self._databases[table.catalog]
        limit = self._rows_at_most or self._sizes.limit(table, is_wide=read.is_wide)
        interval = (segment.after, segment.upto)
        override = self._overrides.get(table)
        statement, condition = None if override is None else override.statement, self._conditions.get(table)
        sql = (
            statements.chunk(table, read.selects, key, interval, limit, database.hint, statement, condition)
            + self._option
        )
        if statement is not None:
            database.wait_for_locks()
        read_us = epoch.now_us()
        packs = self._reads_ahead and self._held_bytes >= UNPACKED_BYTES
        reading, is_own = database.reading(), statement is None and condition is None
        with nullcontext() if is_own else reading.rolled_back():
            blocks = [ReadRows(read, batch, packs=packs) for batch in reading.batches(sql, rows=BLOCK_ROWS)]
        count, size = sum(map(len, blocks)), sum(block.bytes for block in blocks)
        self._sizes.note_rows(table, count, size)

        return ReadChunk(read, blocks, count < limit, read_us, key_digests, ReadRows.bound)


def size_of(chunk: ReadChunk | Unread | None) -> int:
    """About how many bytes a chunk holds while it waits."""
    blocks = chunk.blocks if isinstance(chunk, ReadChunk) else ()
    return sum(block.held_bytes for block in blocks if isinstance(block, ReadRows))
