"""Incremental snapshots: chunks of tables, read at boundaries of the log.

At a boundary P, where no transaction is open, a chunk is read, rewound to P by the log from P to its current head H,
and delivered. Then the log continues from P. The next chunk waits until the log has been delivered up to H, so that no
part of it is read more than twice.

If the position V, up to which everything is visible, lies before P, the changes between V and P count too: they are
delivered already. If V is not proven, or a condition of the user selects rows, Debezium's rule applies: a change since
then takes precedence over the row that was read.

A table that can't be read ends only its own snapshot, and the log continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.mysql.snapshots import splitting
from tailrace.connectors.mysql.snapshots.incremental_start import keys_now, start_table
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, Kind
from tailrace.connectors.mysql.snapshots.read_records import read_changes
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.mysql.snapshots.visibility import Boundary, Visibility, Visible
from tailrace.connectors.shared.signal_sql import require_allowed
from tailrace.connectors.shared.snapshots.incremental import MARK, Step, Steps
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.read_records import events_of
from tailrace.errors import SourceSetupError, StructureError, UnsupportedError
from tailrace.notifications.snapshots import Status
from tailrace.requested_work.figures import TableSize
from tailrace.requested_work.work import TableWork, Work
from tailrace.schema.tables import TableId
from tailrace.snapshot.incremental import ChunkOutcome, TakenChunk, take_chunk
from tailrace.snapshot.segments import Bound


class MySqlIncrementalReader:
    """Reads the requested tables of a lane, a chunk at a time."""

    def __init__(self, settings: MySqlSettings, lane: Lane) -> None:
        self._settings = settings
        self._lane = lane
        self._steps = Steps(settings)
        self._visibility = Visibility(settings)
        self._keys: dict[TableId, ChunkKey | None] = {}
        self._conditions: dict[TableId, str] = {}
        self._source: MySqlSource | None = None
        self._wait_for: RestartPosition | None = None
        self._is_sized = False

    def close(self) -> None:
        """Close the connection."""
        if self._source is not None:
            self._source.close()
            self._source = None

    def wait_ms(self, longest: int) -> int:
        """The longest wait: the log's head, which the next chunk waits for, arrives without polling."""
        return longest

    def step(self, work: Work, at: Boundary) -> Step | None:
        """Read the next chunk of the first table; None if that is impossible at this boundary."""
        if not at.is_behind(self._wait_for):
            return None
        table = work.tables[0]
        if table.key is None and not self._is_captured(table.table, at):
            return self._ended(work, table, Status.UNKNOWN_SCHEMA)
        source = self._opened(at)
        try:
            require_allowed(self._settings, table.condition)
            visible = self._visibility.at(at, source.catalog_connection, source.server, table.table)
            return None if visible is None else self._step(source, work, at, visible)
        except (SourceSetupError, StructureError, UnsupportedError) as error:
            return self._forgotten(table, self._steps.failed(work, table, error))

    def _opened(self, at: Boundary) -> MySqlSource:
        if self._source is None:
            self._source = MySqlSource(
                self._settings,
                self._lane.number + self._settings.database_server_id_offset,  # not the id of the lane's own log reader
                at.progress.restart,
                (),
                self._keys,
                self._conditions,
                self._settings.incremental_snapshot_chunk_size,
            )
        return self._source

    def _step(self, source: MySqlSource, work: Work, at: Boundary, visible: Visible) -> Step | None:
        # A copy: reading the log ahead to H changes the structures, and the stream reads the same DDL again later.
        definitions = Definitions(self._settings, (), lower_names=source.server.lower_names, emits_events=False)
        definitions.structures = at.structures.copy()
        start = at.progress if visible.place is None else Progress("", visible.place.to_dict())
        source.move(start, at.gtids, definitions)
        self._wait_for = source.far_head()
        if self._wait_for is not None:
            return None
        table = work.tables[0]
        if table.key is None:
            self._forget(table)  # a signal may have stopped it, and this one may have another key or condition
            first = self._start_table(source, work, table)
            if isinstance(first, Step):
                return self._forgotten(table, first)
            work, table = work.with_first(first), first
        self._prepare(table)
        # Changes between V and P are in the rows perhaps, and delivered certainly: `take_chunk` treats them apart.
        behind = None if visible.place is None else {"until": at.progress.restart}
        wins = table.condition is not None or not visible.is_proven
        skipped = self._settings.skipped_operations
        taken = take_chunk(source, table.segment, behind, wins=wins, skipped=skipped)
        # The log up to H was read for this chunk, and the stream reads it again. The next chunk waits for that.
        self._wait_for = source.reached
        if taken.outcome is ChunkOutcome.GONE:
            return self._ended(work, table, Status.UNKNOWN_SCHEMA)
        if taken.outcome is ChunkOutcome.ALTERED:
            return Step(work)  # the DDL is in the log; the chunk is read again after it
        return self._delivered(source, work, at, taken)

    def _is_captured(self, table: TableId, at: Boundary) -> bool:
        """Whether the table exists at this boundary and its rows may be requested."""
        is_there = at.structures.get(table) is not None
        return is_there and is_captured(self._settings, table, lower_names=at.structures.lower_names)

    def _start_table(self, source: MySqlSource, work: Work, table: TableWork) -> TableWork | Step:
        """The table with its key and its greatest key value; or the step that says why nothing is read."""
        key = keys_now(source.catalog_connection, source.server, [table])[table.table]
        if isinstance(key, NoKey):
            return self._steps.without_key(work, table, key.reason)
        return start_table(source.catalog_connection, self._settings, table, key) or self._steps.ended(
            work, table, Status.EMPTY
        )

    def _prepare(self, table: TableWork) -> None:
        """Make the source read this table and no other."""
        if table.table in self._keys:
            return
        # The source shares these mappings, so they are changed in place.
        self._keys.clear()
        self._conditions.clear()
        self._is_sized = False
        self._keys[table.table] = ChunkKey.from_dict(table.key or {})
        if table.condition is not None:
            self._conditions[table.table] = table.condition

    def _delivered(self, source: MySqlSource, work: Work, at: Boundary, taken: TakenChunk) -> Step:
        before = work.tables[0]
        table = replace(before, after=taken.after or before.after, rows=before.rows + taken.rows)
        now_us = epoch.now_us()
        changes, shape_of = read_changes(self._settings, at.restart), source.tables.shape
        events = [
            each
            for piece in taken.pieces
            for each in events_of(
                changes.of_piece(piece.of, piece.rows, MARK, getattr(piece.of, "read_us", now_us), shape_of), now_us
            )
        ]
        key = self._keys[table.table]
        step = self._steps.read(
            work,
            table,
            _shown(key, table.after),
            _shown(key, table.upto),
            events=events,
            rows=taken.rows,
            sizes={} if self._is_sized else self._sizes(source, work.ids),
        )
        return self._forgotten(table, self._steps.read_to_end(step, table)) if taken.is_last else step

    def _sizes(self, source: MySqlSource, tables: Sequence[TableId]) -> dict[TableId, TableSize]:
        """The estimated sizes of the tables; the first one is being read."""
        self._is_sized = True
        key = self._keys[tables[0]]
        span = None if key is None else splitting.span(source.catalog_connection, tables[0], key)
        estimated = splitting.estimated_rows(source.catalog_connection, source.server, tables)
        return {table: TableSize(estimated[table], span if table == tables[0] else None) for table in tables}

    def _ended(self, work: Work, table: TableWork, status: Status) -> Step:
        return self._forgotten(table, self._steps.ended(work, table, status))

    def _forgotten(self, table: TableWork, step: Step) -> Step:
        """The step; the table's key is forgotten, because the table is finished."""
        self._forget(table)
        if not step.work.tables:
            self.close()  # the next signal may come when the server has long dropped connections that do nothing
        return step

    def _forget(self, table: TableWork) -> None:
        """Have the table prepared again, if it is requested again."""
        self._keys.pop(table.table, None)


def _shown(key: ChunkKey | None, bound: Bound | None) -> list[Any]:
    """The values of a key, for notifications."""
    columns = key.columns if key is not None else ()
    return [_value(column.kind, entry) for column, entry in zip(columns, bound or (), strict=False)]


def _value(kind: Kind, entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    stored = bytes.fromhex(entry["hex"])
    try:
        return stored.decode() if kind is Kind.TEXT else stored
    except UnicodeDecodeError:  # the column has another character set
        return stored
