"""A lane's part of a snapshot: batches of records with their progress.

The snapshot in a lane's progress has, beside the position P, `parts` before any lane has begun (what each lane will
read), then the lane's own `state`, and finally only `done`, so that all lanes have equal progress.

The first lane delivers the structures before its first row. The last of these events has the mark `last` if no row
follows. A lane that reads everything alone therefore holds it back until a row comes, or it is certain that none does
(`untold` in the progress).

`source.ts_ms` of rows is the server's clock when a lane has its first rows of the table; each process asks for it once
per table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from tailrace import epoch
from tailrace.config.settings import Settings
from tailrace.connectors.base import Lane, LogBatch, OtherLanes, Progress, no_other_lanes
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.database import AddStructure, Opened
from tailrace.connectors.shared.snapshots.monitoring import SnapshotMonitor
from tailrace.connectors.shared.snapshots.stored_later import StoredLater
from tailrace.events.event import NewEvents
from tailrace.events.heartbeats import HeartbeatLayouts
from tailrace.events.pipeline import sizes_of
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.source import Mark, Wave
from tailrace.snapshot.state import SnapshotState
from tailrace.snapshot.waves import SnapshotLane

NOT_ANNOUNCED: Final = "untold"  # a member of the progress: the last structure event is held back


class SnapshotReader:
    """Reads a lane's part, once."""

    def __init__(
        self,
        settings: Settings,
        lane: Lane,
        progress: Progress,
        position: str,
        opened: Opened,
        others: OtherLanes = no_other_lanes,
        tables: Sequence[TableId] | None = None,
        add_structure: AddStructure | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Resume a lane's part from its progress.

        Args:
            settings: the configuration.
            lane: whose part.
            progress: of the lane.
            position: the text of P.
            opened: opens the database at P.
            others: as in `Connector.snapshot`.
            tables: all tables of the snapshot; None: those of an initial one.
            add_structure: adds the last structure event if it was held back; None: that of an initial snapshot.
            clock: in seconds; says how often there are figures.

        """
        self._settings = settings
        self._sizes = sizes_of(settings)
        self._lane = lane
        self._progress = progress
        self._place = position
        self._opened = opened
        self._all_tables = tables
        self._add_structure = add_structure
        snapshot: Mapping[str, Any] = progress.snapshot or {}
        self._begins = "parts" in snapshot
        self._part = LanePart.from_dict(snapshot["parts"][lane.number] if self._begins else snapshot)
        self._untold = bool(snapshot.get(NOT_ANNOUNCED, False))
        self._read_us: dict[str, int] = {}
        self._watched = SnapshotMonitor(settings, lane, position, others, clock)

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """All batches; the last says that the lane's part is done."""
        self._new_events = new_events
        state = self._part.state
        self._database = self._opened(self._part.keys)
        with closing(self._database.source) as source:
            self._watched.begin(state, is_first_time=self._begins, tables=self._tables)
            if self._begins and self._lane.is_first:
                yield self._first_batch(state)
            for wave in SnapshotLane(source, state, source.chosen, source.whole).waves():
                yield self._batch(wave, state)
                state = wave.state
            for _ in self._watched.wait():
                yield self._idle(state)
            if self._watched.may_end():
                yield self._last_batch(state)

    def _first_batch(self, state: SnapshotState) -> LogBatch:
        """The notifications and structures before the first row."""
        batch = Batch(epoch.now_us())
        self._database.add_first_structures(batch)
        self._untold = True
        # Whether another lane has rows is not known here. Some will, so the event is not the last one.
        if self._lane.count > 1:
            self._add_last_structure(batch, Mark.TRUE)
        events = [*self._watched.started(), *batch.events]
        return LogBatch(events, self._of_state(state), at_head=True, figures=self._watched.figures)

    def _batch(self, wave: Wave, before: SnapshotState) -> LogBatch:
        if not wave.pieces and not wave.is_open and wave.state == before:
            return self._idle(before)
        for piece in wave.pieces:
            self._note_read(piece.table)
        batch = Batch(epoch.now_us(), self._sizes, self._new_events())
        # A row follows, so the structure event that was held back is not the last record.
        if wave.pieces:
            self._add_last_structure(batch, Mark.TRUE)
        for piece in wave.pieces:
            size = batch.bytes
            for event in self._database.events(piece, batch.now_us, self._read_us[piece.table]):
                batch.add(event)
            self._database.source.note_records(piece.table, len(piece.rows), batch.bytes - size)
        count = sum(len(piece.rows) for piece in wave.pieces)
        for event in self._watched.advanced(wave.state):
            batch.add(event)
        return LogBatch(
            batch.events,
            self._of_state(wave.state),
            changes=count,
            figures=self._watched.figures,
            is_open=wave.is_open and self._database.new_snapshot_restart is None,
        )

    def _idle(self, state: SnapshotState) -> LogBatch:
        """An idle batch; before the lane's first notification its progress is still the initial one."""
        return LogBatch([], self._progress if self._watched.is_start_unreported else self._of_state(state), idle=True)

    def _last_batch(self, state: SnapshotState) -> LogBatch:
        """The events after the last row, with a progress that is done."""
        batch = Batch(epoch.now_us())
        self._add_last_structure(batch, Mark.LAST)
        # The lane that delivers the snapshot's last row closes it. If no table is read, there is no such row: then a
        # lane alone does.
        closes = state.closes or self._lane.count == 1
        if closes and self._settings.heartbeat_interval_ms > 0:
            batch.add(HeartbeatLayouts(self._settings).heartbeat(batch.now_us // 1000, self._place, batch.rank))
        events = [*batch.events, *self._watched.ended()]
        reached = self._reached(self._watched.done)
        if self._database.new_snapshot_restart is not None:
            # The log continues from the position of the rows, which was taken after the planned one.
            reached = replace(reached, restart=self._database.new_snapshot_restart)
        return LogBatch(events, reached, at_head=True, figures=self._watched.figures)

    def _tables(self) -> Sequence[TableId]:
        """All tables of the snapshot, of all lanes."""
        return self._database.all_tables() if self._all_tables is None else self._all_tables

    def _add_last_structure(self, batch: Batch, mark: Mark) -> None:
        """Add the last structure event, if it was held back."""
        if not self._untold:
            return
        (self._add_structure or self._database.add_last_structure)(batch, mark)
        self._untold = False

    def _note_read(self, table: str) -> None:
        if table not in self._read_us:
            self._read_us[table] = self._database.clock()

    def _of_state(self, state: SnapshotState) -> Progress:
        if self._database.new_snapshot_restart is not None:
            return self._progress  # no state: another process begins again
        held = {NOT_ANNOUNCED: True} if self._untold else {}
        lanes = {"lanes": self._lane.count}
        # There are many states between two commits, and a record of thousands of tables takes milliseconds.
        later = StoredLater(lambda: {**lanes, **self._part.to_dict(state), **held})
        return replace(self._progress, snapshot=later)

    def _reached(self, content: Mapping[str, Any]) -> Progress:
        return replace(self._progress, snapshot={"lanes": self._lane.count, **content})
