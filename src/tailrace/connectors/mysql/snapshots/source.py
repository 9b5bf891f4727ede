"""MySQL's side of a snapshot: chunks of tables, and changes of their keys in the log.

Structures are those of the log: each section begins with the structures at the end of the last one, so a chunk is
selected by the structure at H, up to where the log is read. If the server has another structure by then, the DDL lies
in the log after H. The chunk is discarded, and read again after the section that contains the DDL.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final, TypeVar

import numpy as np

from tailrace import epoch
from tailrace.changes.vectors import Kind, Vector
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server
from tailrace.connectors.mysql.connection import Connection, connect, error_number, in_time, read_only
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.gtid import wanted_sources
from tailrace.connectors.mysql.missing_structures import structure_at
from tailrace.connectors.mysql.positions import RestartPosition, log_position
from tailrace.connectors.mysql.selecting import SelectedRows, Selection
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.chunks import chunk_by_key
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.overrides import of_tables
from tailrace.connectors.mysql.snapshots.point import wait_visible
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.sections import SECTION_BYTES, Sections
from tailrace.connectors.mysql.snapshots.stored_keys import bound_at
from tailrace.connectors.mysql.snapshots.touched_rows import TouchedRows
from tailrace.connectors.mysql.snapshots.touches import Touches
from tailrace.connectors.mysql.snapshots.views import TableView, Unopened, ViewRequest, Views
from tailrace.connectors.shared.snapshots.chunk_sizes import ChunkSizes
from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.connectors.shared.snapshots.key_ranges import within_local
from tailrace.connectors.shared.snapshots.overrides import refused
from tailrace.errors import KeyChangedError, RetriableError, SourceSetupError, StructureError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
from tailrace.snapshot.source import Section as LogSection

NUMBER_BYTES: Final = 8
ATTEMPTS: Final = 10  # to read a table whose structure seems to change
PAUSE_SECONDS: Final = 0.2
CHANGED: Final = {1054, 1091, 1146, 1049, 1176, 1412}  # unknown column, table, database, index; DDL since

_T = TypeVar("_T")

log = logging.getLogger(__name__)


class MySqlSource:
    """A `SnapshotSource` over one server, opened at P; for one lane.

    Attributes:
        tables: of the snapshot.
        definitions: the structures up to where the log is read.

    """

    def __init__(
        self,
        settings: MySqlSettings,
        replica: int,
        point: Mapping[str, Any],
        history: Sequence[HistoryRecord],
        keys: Mapping[TableId, ChunkKey | None],
        conditions: Mapping[TableId, str] | None = None,
        rows_at_most: int | None = None,
        *,
        with_overrides: bool = False,
    ) -> None:
        """A source at P.

        Args:
            settings: of the connector.
            replica: distinguishes it from other readers of the same log.
            point: P, as a restart position.
            history: with the structures at P.
            keys: of the snapshot's tables.
            conditions: of tables whose rows a signal selects, for WHERE.
            rows_at_most: the greatest number of rows in a chunk; None: as many as fill some megabytes.
            with_overrides: whether the user's statements (`snapshot.select.statement.overrides`) replace tables.

        """
        self._settings = settings
        self._replica = replica
        self._point = RestartPosition.from_dict(point)
        self._asking = connect(settings)
        self._server = catalog.server(self._asking)
        self._reading: Connection | None = None
        self.tables = ReadTables(settings, self._server, keys)
        self.definitions = Definitions(settings, history, lower_names=self._server.lower_names)
        self._progress = Progress("", point)
        self._reached = self._point  # `_progress` may begin before it, at the rows of an open XA transaction
        self._conditions = {} if conditions is None else conditions
        self._rows_at_most = rows_at_most
        self._overrides = of_tables(settings, self._server, keys) if with_overrides else {}
        self._sizes = ChunkSizes()
        self._unread: dict[TableId, int] = {}
        self._touches = Touches()
        self._views = Views(settings, self._asking, self._server)
        self._view: TableView | None = None
        self._log: Sections | None = None
        self._has_moved = False
        self._gtids = self._point.gtids  # executed up to where the log is read
        statements.prepare(self._asking)
        # The server may be a replica that lags behind the one where P was taken.
        wait_visible(self._asking, self._point.gtids)

    @property
    def catalog_connection(self) -> Connection:
        """The connection for questions about tables."""
        return self._asking

    @property
    def server(self) -> Server:
        """The server's version and variables."""
        return self._server

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        return frozenset(map(quoted_id, self._overrides))

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return frozenset(map(quoted_id, self.tables.whole))

    @property
    def reached(self) -> RestartPosition:
        """The position up to which the log is read."""
        return self._reached

    def far_head(self) -> RestartPosition | None:
        """The log's head, if it is so far away that it should be read first; None if it is near."""
        head = RestartPosition.from_dict(self._head())
        return None if _is_near(self._point, head) else head

    def move(self, progress: Progress, gtids: str | None, definitions: Definitions) -> None:
        """Move to another position P, before which everything is visible now.

        Args:
            progress: of a reader that has everything before it; no transaction is open there.
            gtids: executed there; None if the server has none.
            definitions: the structures there; this source changes them from now on.

        """
        self._progress, self.definitions = progress, definitions
        self._point = self._reached = RestartPosition.from_dict(progress.restart)
        self._gtids = gtids
        self._has_moved = True
        self._close_log()
        self.tables.move()
        wait_visible(self._asking, gtids)

    def close(self) -> None:
        """Close the connections."""
        self._close_log()
        for connection in (self._asking, self._reading):
            if connection is not None and connection.open:
                connection.close()

    def expect(self, segments: Iterable[Segment]) -> None:
        """Do nothing: no chunk is read ahead, see `has_room`."""

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment; None if the table is gone."""
        table = parse_id(segment.table)
        if self._is_gone(table):
            return None
        if self._has_moved and self.tables.proofs.is_refuted(table):
            return Unread()  # the next P is after the statement
        self.tables.require_proof(table)
        # The statement is made for the structure at H. If the server has a newer one, it fails, or is repeated after
        # the DDL.
        chunk = self._unless_changed(table, lambda: self._selected(self._structure(table), segment))
        return Unread() if chunk is None else chunk

    def has_room(self) -> bool:
        """False: the log's head is known at once, so no chunk need wait for it."""
        return False

    def view(self, table: str) -> TableView | Unopened | None:
        """A view of a table without a key, at or after the position that the log was read to; None: it is gone."""
        table_id = parse_id(table)
        if self._is_gone(table_id):
            return None
        view = self._unless_changed(table_id, lambda: self._opened(self._structure(table_id)))
        return Unopened() if view is None else view

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[LogSection]:
        """The log from where the last call ended, in sections that end between transactions."""
        end = RestartPosition.from_dict(self._head() if upto is None else upto["until"])
        while (self._reached.server_uuid, self._reached.position) != (end.server_uuid, end.position):
            yield self._section(end)

    def _section(self, until: RestartPosition) -> LogSection:
        """The next section, which ends at `until` or earlier."""
        sections, before = self._sections(), dict(self.definitions.structures.tables)
        seen = None if self._view is None else self._view.seen
        touches = [self._touches.of(each) for touched in sections.touched(until, seen) for each in touched]
        self._progress, self._gtids, self._reached = sections.progress, sections.gtids, sections.ended(until)
        altered = self._altered(sections.take_altered(), before)
        place = log_position(self._reached, self._progress.delivered, self._progress.restart)
        return LogSection(touches, place, frozenset(map(quoted_id, altered)))

    def _altered(self, named: set[TableId], before: Mapping[TableId, Table]) -> set[TableId]:
        """The tables that DDL in the section named, or an index of theirs, and those whose structures differ at its ends.

        Those that it named, because a structure has neither collations nor all indexes: another collation alone gives the
        same rows another order.
        """
        if named:
            self.tables.ask_again(named)
        now = self.definitions.structures.tables
        # Almost always they are the same objects, which is known without a look at each of thousands of tables.
        if now == before:
            return named.intersection(self.tables) if named else named
        return {each for each in self.tables if each in named or now.get(each) != before.get(each)}

    def _sections(self) -> Sections:
        """The reader of the log, at the end of the last section."""
        if self._log is not None and not self._log.can_go_on:
            self._close_log()
        if self._log is None:
            self._log = Sections(self._settings, self._replica, self._progress, self.definitions, self.tables)
        return self._log

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
        self._log = None

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        self._sizes.note_records(parse_id(table), count, size)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a before key in one of the intervals."""
        touched: TouchedRows = touches.images
        key = self.tables.key(touched.table.id)
        images = touched.before[rows]
        if key.is_local:
            numbers = [_numbers(c.unsigned, v)[images] for c, v in zip(key.columns, touched.keys, strict=True)]
            return within_local(numbers, intervals)
        plans = self.tables.planned(touched.table).key_plans
        bounds = [bound_at(key, plans, touched.keys, int(image)) for image in images]
        return statements.are_within(self._asking, self._server, key, bounds, intervals)

    def _is_gone(self, table: TableId) -> bool:
        """Whether the table does not exist at the position that the log is read to."""
        structures = self.definitions.structures
        is_gone = table not in structures and table not in structures.unknown
        if is_gone:
            log.warning("%s was dropped or renamed: what was not read of it is not in the snapshot", table)
        return is_gone

    def _structure(self, table: TableId) -> Table:
        """A table's structure at the position that the log is read to.

        Raises:
            StructureError: it is unknown: the history lacks it, and the server has changed the table since.

        """
        known = self.definitions.structures.get(table)
        if known is None:
            known = structure_at(self._settings, table, self._reached)
            self.definitions.structures.put(known)
        return known

    def _unless_changed(self, table: TableId, read: Callable[[], _T]) -> _T | None:
        """The result of reading; None if the table's structure is no longer that at H."""
        try:
            found = read()
        except (StructureError, SourceSetupError) as error:
            attempts, override = self._unread.get(table, 0), self._overrides.get(table)
            self.tables.ask_again({table})  # the index may be gone that it is read by
            if not _is_of_change(error) or attempts >= ATTEMPTS:
                if override is not None and not isinstance(error, KeyChangedError):
                    raise refused(override, error) from error
                raise
            self._unread[table] = attempts + 1
            time.sleep(PAUSE_SECONDS)  # the DDL is visible before it is in the log; give the server time to write it
            return None
        self._unread.pop(table, None)
        return found

    def _opened(self, table: Table) -> TableView:
        """A view of a table that shows everything before the position that the log is read to."""
        read = self.tables.of(self._asking, table)
        sql = statements.whole(table.id, [read.plans.select_list], self._override(table.id))
        # The view must show everything that the log was read to, or changes would be applied to rows that lack earlier
        # ones.
        wait_visible(self._asking, self._gtids)
        view = self._views.open(self._connection(), ViewRequest(read, sql, self._touches.row_digests(table.id)))
        view.position = {"until": view.head.restart(self._server, self._point.era).to_dict()}
        self._view = view
        return view

    def _override(self, table: TableId) -> str | None:
        """The user's statement that replaces a table, if there is one."""
        return self._overrides[table].statement if table in self._overrides else None

    def _selected(self, table: Table, segment: Segment) -> ReadChunk:
        read = self.tables.of(self._asking, table)
        key, limit = self.tables.key(table.id), self._rows_at_most or self._sizes.limit(table.id)
        override, condition = self._override(table.id), self._conditions.get(table.id)
        columns = [read.plans.select_list]
        sql = statements.chunk(
            table.id, columns, key, segment.after, segment.upto, limit, override, condition=condition
        )
        read_us, connection = epoch.now_us(), self._connection()
        is_own = override is None and condition is None
        with (
            nullcontext() if condition is None else in_time(connection, self._settings),
            # SQL of the user runs in a read-only transaction.
            nullcontext() if is_own else read_only(connection),
            Selection(connection, sql, (), read.plans) as selection,
        ):
            blocks = list(selection.images())
        count = sum(map(len, blocks))
        self._sizes.note_rows(table.id, count, sum(map(_size_of, blocks)))
        # Fewer rows than requested are the last of the segment.
        return chunk_by_key(read, blocks, count < limit, read_us)

    def _connection(self) -> Connection:
        """The one that rows are read on; an error in the midst of rows closes it."""
        if self._reading is None or not self._reading.open:
            self._reading = connect(self._settings)
            statements.prepare(self._reading)
            # Behind a load balancer the name may lead to another server. GTIDs or the lock said what *this* server
            # shows.
            if catalog.server(self._reading).uuid != self._server.uuid:
                raise RetriableError(
                    f"{self._settings.database_hostname} leads to another server than a moment ago, whose log says nothing "
                    "about when its rows are visible"
                )
        return self._reading

    def _head(self) -> dict[str, Any]:
        """The log's current head.

        Raises:
            PositionLostError: the log is no longer retained from P on, where the stream begins after the snapshot.

        """
        catalog.require_available(self._asking, self._server, self._point, wanted_sources(self._settings))
        return catalog.head(self._asking, self._server).restart(self._server, self._point.era).to_dict()


def _is_near(start: RestartPosition, end: RestartPosition) -> bool:
    is_same = (start.server_uuid, start.file) == (end.server_uuid, end.file)
    return is_same and end.pos - start.pos <= SECTION_BYTES


def _numbers(unsigned: bool, vector: Vector) -> np.ndarray[Any, np.dtype[Any]]:
    return vector.data.view(np.uint64) if unsigned else vector.data


def _size_of(rows: SelectedRows) -> int:
    """The approximate size of the values in bytes."""
    vectors = [vector for vector in rows.images.vectors if vector is not None]
    texts = (vector for vector in vectors if vector.kind in (Kind.TEXT, Kind.BYTES))
    return NUMBER_BYTES * len(rows) * len(vectors) + sum(int(vector.data[:, 0].sum(dtype=np.int64)) for vector in texts)


def _is_of_change(error: Exception) -> bool:
    """Whether an error may only mean that the table's structure has changed."""
    return isinstance(error, StructureError) or error_number(error) in CHANGED
