"""A lane's part of a snapshot, as batches of records with the progress that belongs to them.

The progress of a lane has, beside the position P, `parts` as long as nobody has begun (what each lane is to read), then
the lane's own `state`, and in the end only that it is `done`, so that all lanes stand alike.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from tailrace.changes.records import Records
from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, Progress
from tailrace.connectors.mysql.batches import Batch
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.snapshots.chunks import SelectedChunk
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.read_records import ReadChanges
from tailrace.connectors.mysql.snapshots.section import TouchedRows
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.schema.history import parse_id
from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.source import Piece, Wave
from tailrace.snapshot.state import SnapshotState
from tailrace.snapshot.waves import SnapshotLane


class SnapshotReader:
    """Reads the part of one lane, once."""

    def __init__(
        self, settings: Settings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._settings = settings
        self._lane = lane
        self._progress = progress
        self._history = history
        snapshot: Mapping[str, Any] = progress.snapshot or {}
        self._begins = "parts" in snapshot
        self._part: Mapping[str, Any] = snapshot["parts"][lane.number] if self._begins else snapshot
        self._position = RestartPosition.from_dict(progress.restart)
        self._changes = ReadChanges(settings, self._position)

    def batches(self) -> Iterator[LogBatch]:
        """All batches; the last says that the lane's part is done."""
        keys = {parse_id(name): None if key is None else ChunkKey.from_dict(key) for name, key in self._part["keys"].items()}
        state = SnapshotState.from_dict(self._part["state"])
        with closing(MySqlSource(self._settings, self._lane.number, self._progress.restart, self._history, keys)) as source:
            self._source = source
            if self._begins and self._lane.is_first:
                yield self._first_batch(state)
            for wave in SnapshotLane(source, state).waves():
                yield self._batch(wave)
        yield LogBatch([], self._reached({"done": True}), at_head=True)

    def _first_batch(self, state: SnapshotState) -> LogBatch:
        """What a snapshot says before its first row: the structures that it has."""
        batch = Batch(_microseconds())
        self._source.definitions.tell_initial(self._position, batch)
        return LogBatch(batch.records, self._of_state(state), at_head=True)

    def _batch(self, wave: Wave) -> LogBatch:
        now_us = _microseconds()
        records = [records for piece in wave.pieces for records in self._records(piece, now_us)]
        rows = sum(len(piece.rows) for piece in wave.pieces)
        return LogBatch(records, self._of_state(wave.state), changes=rows, at_head=True)

    def _records(self, piece: Piece, now_us: int) -> Iterator[Records]:
        if isinstance(piece.of, SelectedChunk):
            read = piece.of.table
            for block, rows in piece.of.parts(piece.rows):
                vectors, after = block.images.vectors, block.images.after[rows]
                changes = self._changes.of(read.table.id, vectors, after, piece.mark.value, piece.of.read_us)
                yield read.shape.records(read.shape.prepare(changes), now_us)
        elif isinstance(piece.of, TableTouches):
            touched: TouchedRows = piece.of.images
            shape = self._source.tables.planned(touched.table).shape
            images = touched.before[piece.rows]
            changes = self._changes.of(touched.table.id, touched.columns, images, piece.mark.value, now_us)
            yield shape.records(shape.prepare(changes), now_us)

    def _of_state(self, state: SnapshotState) -> Progress:
        return self._reached({"keys": self._part["keys"], "state": state.to_dict()})

    def _reached(self, content: Mapping[str, Any]) -> Progress:
        return Progress(self._progress.delivered, self._progress.restart, {"lanes": self._lane.count, **content})


def _microseconds() -> int:
    """Since the epoch."""
    return time.time_ns() // 1000
