"""MySQL's side of a snapshot: chunks out of tables, and what the log says of their keys.

Structures are those of the log: each section begins with the structures that the last one left, so that a chunk is
selected by the structure that holds at H. Where the server has another one by then, the change stands in the log behind H:
the chunk comes to nothing and is read again after the section that tells it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tailrace.changes.vectors import Kind, Vector
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import Connection, connect
from tailrace.connectors.mysql.cutting import cut
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.gtid import source_filter
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.selecting import SelectedRows, Selection, key_bytes
from tailrace.connectors.mysql.snapshots import statements
from tailrace.connectors.mysql.snapshots.chunks import SelectedChunk, Unread
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.point import wait_visible
from tailrace.connectors.mysql.snapshots.read_tables import ReadTables
from tailrace.connectors.mysql.snapshots.section import Section, TouchedRows
from tailrace.connectors.mysql.snapshots.stored_keys import bound_at
from tailrace.errors import RetriableError, SourceSetupError, StructureError
from tailrace.schema.changes_topic import quoted_id
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
from tailrace.snapshot.source import Section as LogSection

VISIBLE_SECONDS: Final = 60.0
ROWS_AT_MOST: Final = 1 << 16
ROWS_AT_LEAST: Final = 1 << 10
CHUNK_BYTES: Final = 16 << 20
SECTION_BYTES: Final = 64 << 20
NUMBER_BYTES: Final = 8
ATTEMPTS: Final = 10
PAUSE_SECONDS: Final = 0.2
CHANGED: Final = {1054, 1091, 1146, 1049, 1176, 1412}  # a column, table, database or index that is not there, DDL since

log = logging.getLogger(__name__)


class MySqlSource:
    """A `SnapshotSource` over one server, opened at P; used by one lane.

    Attributes:
        tables: of the snapshot.
        definitions: the structures where the log is read up to.

    """

    def __init__(
        self,
        settings: Settings,
        replica: int,
        point: Mapping[str, Any],
        history: Sequence[HistoryRecord],
        keys: Mapping[TableId, ChunkKey | None],
    ) -> None:
        """`point` is P as a restart position, `history` has the structures there, `keys` the tables of the snapshot."""
        self._settings = settings
        self._replica = replica
        self._point = RestartPosition.from_dict(point)
        self._history = history
        self._asking = connect(settings)
        self._server = catalog.server(self._asking)
        self._reading: Connection | None = None
        self.tables = ReadTables(settings, self._server, keys)
        self.definitions = Definitions(settings, history, lower_names=self._server.lower_names)
        self._progress = Progress("", point)
        self._reached = self._point  # `_progress` may begin before it, for the sake of an XA transaction
        self._chunk_rows: dict[TableId, int] = {}
        self._unread: dict[str, int] = {}
        statements.prepare(self._asking)
        wait_visible(self._asking, self._point.gtids, VISIBLE_SECONDS)

    def close(self) -> None:
        """Let go of the server."""
        for connection in (self._asking, self._reading):
            if connection is not None and connection.open:
                connection.close()

    def read(self, segment: Segment) -> SelectedChunk | Unread | None:
        """The next rows of a segment; None where the table is gone."""
        table_id = parse_id(segment.table)
        table = self.definitions.structures.get(table_id)
        if table is None:
            log.warning("%s was dropped or renamed: what was not read of it is not in the snapshot", table_id)
            return None
        try:
            chunk = self._selected(table, segment)
        except (StructureError, SourceSetupError) as error:
            attempts = self._unread.get(segment.table, 0)
            if not _is_of_change(error) or attempts >= ATTEMPTS:
                raise
            self._unread[segment.table] = attempts + 1
            time.sleep(PAUSE_SECONDS)  # what changed it is being written to the log
            return Unread()
        self._unread.pop(segment.table, None)
        return chunk

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[LogSection]:
        """The log from where the last call ended, in pieces that end between transactions."""
        end = RestartPosition.from_dict(self._head() if upto is None else upto["until"])
        while (self._reached.server_uuid, self._reached.position) != (end.server_uuid, end.position):
            near = _is_near(self._reached, end)
            self._reached = end if near else cut(self._settings, self._reached, end, SECTION_BYTES)
            yield self._section(self._reached)

    def _section(self, until: RestartPosition) -> LogSection:
        section = Section(
            self._settings,
            self._replica,
            self._progress,
            until.to_dict(),
            self._history,
            self.definitions,
            self.tables.key_decoder,
        )
        before = self._structures()
        touches = [_touches(each) for touched in section.touched() for each in touched]
        self._progress = section.progress
        now = self._structures()
        altered = frozenset(quoted_id(table) for table in before if now[table] != before[table])
        position = {"until": until.to_dict(), "delivered": self._progress.delivered, "restart": self._progress.restart}
        return LogSection(touches, position, altered)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a key before that lies in one of the intervals."""
        touched: TouchedRows = touches.images
        key = self.tables.key(touched.table.id)
        images = touched.before[rows]
        if key.is_local:
            numbers = [_numbers(c.unsigned, v)[images] for c, v in zip(key.columns, touched.keys, strict=True)]
            return statements.within_local(numbers, intervals)
        plans = self.tables.planned(touched.table).key_plans
        bounds = [bound_at(key, plans, touched.keys, int(image)) for image in images]
        return statements.are_within(self._asking, self._server, key, bounds, intervals)

    def _selected(self, table: Table, segment: Segment) -> SelectedChunk:
        read = self.tables.of(self._asking, table)
        limit = None if read.key is None else self._chunk_rows.get(table.id, ROWS_AT_LEAST)
        columns = [read.plans.select_list]
        if read.key is None:
            sql = statements.whole(table.id, columns)
        else:
            sql = statements.chunk(table.id, columns, read.key, segment.after, segment.upto, limit)
        read_us = time.time_ns() // 1000
        with Selection(self._connection(), sql, (), read.plans) as selection:
            blocks = list(selection.images())
        count = sum(map(len, blocks))
        self._note_size(table.id, count, blocks)
        return SelectedChunk(read, blocks, limit is None or count < limit, read_us)

    def _note_size(self, table: TableId, count: int, blocks: Sequence[SelectedRows]) -> None:
        """A chunk of a table with short rows has more of them."""
        if count:
            size = sum(map(_size_of, blocks)) / count
            self._chunk_rows[table] = int(min(max(CHUNK_BYTES / max(size, 1), ROWS_AT_LEAST), ROWS_AT_MOST))

    def _connection(self) -> Connection:
        """The one that rows are read on; an error in the midst of rows closes it."""
        if self._reading is None or not self._reading.open:
            self._reading = connect(self._settings)
            statements.prepare(self._reading)
            if catalog.server(self._reading).uuid != self._server.uuid:
                raise RetriableError(
                    f"{self._settings.database_hostname} leads to another server than a moment ago, whose log says nothing "
                    "about when its rows are visible"
                )
        return self._reading

    def _head(self) -> dict[str, Any]:
        """The log's head of now; the log must still reach back to P, from where it is delivered when the snapshot is done."""
        wanted = source_filter(self._settings.gtid_source_includes, self._settings.gtid_source_excludes)
        catalog.require_available(self._asking, self._server, self._point, wanted)
        return catalog.head(self._asking, self._server).restart(self._server, self._point.era).to_dict()

    def _structures(self) -> dict[TableId, Table | None]:
        structures = self.definitions.structures
        return {table: structures.get(table) for table in self.tables}


def _is_near(start: RestartPosition, end: RestartPosition) -> bool:
    is_same = (start.server_uuid, start.file) == (end.server_uuid, end.file)
    return is_same and end.pos - start.pos <= SECTION_BYTES


def _touches(touched: TouchedRows) -> TableTouches:
    digests = digests_of(key_bytes(touched.keys))
    before, after = touched.before, touched.after
    has_before = before >= 0
    return TableTouches(
        table=quoted_id(touched.table.id),
        before=digests[before],
        has_before=has_before,
        after=digests[after],
        has_after=after >= 0,
        complete=touched.complete[before] | ~has_before,
        images=touched,
    )


def _numbers(unsigned: bool, vector: Vector) -> np.ndarray[Any, np.dtype[Any]]:
    return vector.data.view(np.uint64) if unsigned else vector.data


def _size_of(rows: SelectedRows) -> int:
    """About how many bytes the values have."""
    vectors = [vector for vector in rows.images.vectors if vector is not None]
    texts = (vector for vector in vectors if vector.kind in (Kind.TEXT, Kind.BYTES))
    return NUMBER_BYTES * len(rows) * len(vectors) + sum(int(vector.data[:, 0].sum(dtype=np.int64)) for vector in texts)


def _is_of_change(error: Exception) -> bool:
    """Whether an error may only mean that the table is not any more what it was."""
    if isinstance(error, StructureError):
        return True
    cause = error.__cause__
    return cause is not None and bool(cause.args) and cause.args[0] in CHANGED
