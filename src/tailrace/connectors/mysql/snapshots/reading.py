"""A lane's part of a snapshot, as batches of records with the progress that belongs to them.

The progress of a lane has, beside the position P, `parts` as long as nobody has begun (what each lane is to read), then
the lane's own `state`, and in the end only that it is `done`, so that all lanes stand alike.

The first lane tells the structures before its first row. The last of these events has the mark `last` where no row
follows; where one lane reads everything it is held back until a row comes or there is none (`untold` in the progress).

`source.ts_ms` of rows is the server's clock, in whole seconds, of the moment in which a lane has its first rows of their
table; it is asked for once a table by each process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from tailrace.changes.heartbeats import HeartbeatEncoder
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, Others, Progress, alone
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.snapshots.keys import stored_keys
from tailrace.connectors.mysql.snapshots.piece_records import records_of
from tailrace.connectors.mysql.snapshots.planning import tables_to_read
from tailrace.connectors.mysql.snapshots.read_records import ReadChanges
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.mysql.snapshots.watched import Watched
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.source import Mark, Wave
from tailrace.snapshot.state import SnapshotState
from tailrace.snapshot.waves import SnapshotLane

UNTOLD: Final = "untold"  # in the progress: the last structure is held back


class SnapshotReader:
    """Reads the part of one lane, once."""

    def __init__(
        self,
        settings: Settings,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        others: Others = alone,
        tables: Sequence[TableId] | None = None,
        tell_structure: Callable[[Batch, Mark], None] | None = None,
    ) -> None:
        """Take a lane's part as its progress has it.

        Args:
            settings: the configuration.
            lane: whose part.
            progress: of the lane.
            history: the schema history up to P.
            others: as in `Connector.snapshot`.
            tables: all of the snapshot; None: those of an initial one.
            tell_structure: adds the structures' last event, if it was held back; None: the initial snapshot's.

        """
        self._all_tables = tables
        self._tell_structure = tell_structure
        self._settings = settings
        self._lane = lane
        self._progress = progress
        self._history = history
        snapshot: Mapping[str, Any] = progress.snapshot or {}
        self._begins = "parts" in snapshot
        self._part = LanePart.from_dict(snapshot["parts"][lane.number] if self._begins else snapshot)
        self._untold = bool(snapshot.get(UNTOLD, False))
        self._position = RestartPosition.from_dict(progress.restart)
        self._changes = ReadChanges(settings, self._position)
        self._read_us: dict[str, int] = {}
        self._watched = Watched(settings, lane, str(self._position.position), others)

    def batches(self) -> Iterator[LogBatch]:
        """All batches; the last says that the lane's part is done."""
        keys, state = stored_keys(self._part.keys), self._part.state
        opened = (self._settings, self._lane.number, self._progress.restart, self._history, keys)
        with closing(MySqlSource(*opened, with_overrides=True)) as source:
            self._source = source
            self._watched.begin(state, is_first_time=self._begins, tables=self._tables)
            if self._begins and self._lane.is_first:
                yield self._first_batch(state)
            for wave in SnapshotLane(source, state, source.chosen, source.whole).waves():
                yield self._batch(wave)
                state = wave.state
            for _ in self._watched.wait():
                yield LogBatch([], self._of_state(state), idle=True)
            if self._watched.may_end():
                yield self._last_batch(state)

    def _first_batch(self, state: SnapshotState) -> LogBatch:
        """What a snapshot says before its first row: the structures that it has."""
        batch = Batch(_microseconds())
        self._source.definitions.tell_first(self._position, batch)
        self._untold = True
        if self._lane.count > 1:
            self._tell_last(batch, Mark.TRUE)
        told = [*self._watched.started(), *batch.records]
        return LogBatch(told, self._of_state(state), at_head=True, figures=self._watched.figures)

    def _batch(self, wave: Wave) -> LogBatch:
        for piece in wave.pieces:
            self._note_read(piece.table)
        batch = Batch(_microseconds())
        if wave.pieces:
            self._tell_last(batch, Mark.TRUE)
        for piece in wave.pieces:
            read_us, mark = self._read_us[piece.table], piece.mark.value
            of_piece = (self._source.tables, self._changes, piece.of, piece.rows)
            before = batch.bytes
            for records in records_of(*of_piece, mark, batch.now_us, read_us):
                batch.add(records)
            self._source.note_records(piece.table, len(piece.rows), batch.bytes - before)
        count = sum(len(piece.rows) for piece in wave.pieces)
        told = [*batch.records, *self._watched.passed(wave.state)]
        return LogBatch(
            told,
            self._of_state(wave.state),
            changes=count,
            figures=self._watched.figures,
            is_open=wave.is_open,
        )

    def _last_batch(self, state: SnapshotState) -> LogBatch:
        """What comes after the last row, and that all is done."""
        batch = Batch(_microseconds())
        self._tell_last(batch, Mark.LAST)
        closes = state.closes or self._lane.count == 1  # nobody does where no table is to be read
        if closes and self._settings.heartbeat_interval_ms > 0:
            place = str(self._position.position)
            batch.add(HeartbeatEncoder(self._settings).record(batch.now_us // 1000, place, batch.rank))
        told = [*batch.records, *self._watched.ended()]
        return LogBatch(told, self._reached(self._watched.done), at_head=True, figures=self._watched.figures)

    def _tables(self) -> list[TableId]:
        """All tables of the snapshot."""
        if self._all_tables is not None:
            return [*self._all_tables]
        captured = (table for table in self._source.definitions.structures if self._is_captured(table))
        return tables_to_read(self._settings, captured)

    def _is_captured(self, table: TableId) -> bool:
        return self._settings.tables.matches(table.catalog, table.name)

    def _tell_last(self, batch: Batch, mark: Mark) -> None:
        """The last event of a structure, if it was held back."""
        if not self._untold:
            return
        if self._tell_structure is not None:
            self._tell_structure(batch, mark)
        else:
            self._source.definitions.tell_last(self._position, batch, mark.value)
        self._untold = False

    def _note_read(self, table: str) -> None:
        if table not in self._read_us:
            ((seconds,),) = rows(self._source.asking, "SELECT UNIX_TIMESTAMP()")
            self._read_us[table] = int(seconds) * 1_000_000

    def _of_state(self, state: SnapshotState) -> Progress:
        held = {UNTOLD: True} if self._untold else {}
        return self._reached({**self._part.to_dict(state), **held})

    def _reached(self, content: Mapping[str, Any]) -> Progress:
        return replace(self._progress, snapshot={"lanes": self._lane.count, **content})


def _microseconds() -> int:
    """Since the epoch."""
    return time.time_ns() // 1000
