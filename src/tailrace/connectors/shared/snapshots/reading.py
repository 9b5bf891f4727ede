"""A lane's part of a snapshot, as batches of records with the progress that belongs to them.

The progress of a lane has, beside the position P, `parts` as long as nobody has begun (what each lane is to read), then
the lane's own `state`, and in the end only that it is `done`, so that all lanes stand alike.

The first lane tells the structures before its first row. The last of these events has the mark `last` where no row
follows; where one lane reads everything it is held back until a row comes or there is none (`untold` in the progress).

`source.ts_ms` of rows is the server's clock of the moment in which a lane has its first rows of their table; it is asked for
once a table by each process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from tailrace import epoch
from tailrace.config.settings import Settings
from tailrace.connectors.base import Lane, LogBatch, Others, Progress, alone
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.database import Opened, TellStructure
from tailrace.connectors.shared.snapshots.watched import Watched
from tailrace.events.event import NewEvents
from tailrace.events.heartbeats import HeartbeatLayouts
from tailrace.events.pipeline import sizes_of
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
        position: str,
        opened: Opened,
        others: Others = alone,
        tables: Sequence[TableId] | None = None,
        tell_structure: TellStructure | None = None,
    ) -> None:
        """Take a lane's part as its progress has it.

        Args:
            settings: the configuration.
            lane: whose part.
            progress: of the lane.
            position: P, as its text.
            opened: opens the database at P.
            others: as in `Connector.snapshot`.
            tables: all of the snapshot; None: those of an initial one.
            tell_structure: adds the structures' last event, if it was held back; None: the initial snapshot's.

        """
        self._settings = settings
        self._sizes = sizes_of(settings)
        self._lane = lane
        self._progress = progress
        self._place = position
        self._opened = opened
        self._all_tables = tables
        self._tell_structure = tell_structure
        snapshot: Mapping[str, Any] = progress.snapshot or {}
        self._begins = "parts" in snapshot
        self._part = LanePart.from_dict(snapshot["parts"][lane.number] if self._begins else snapshot)
        self._untold = bool(snapshot.get(UNTOLD, False))
        self._read_us: dict[str, int] = {}
        self._watched = Watched(settings, lane, position, others)

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """All batches; the last says that the lane's part is done."""
        self._new_events = new_events
        state = self._part.state
        with closing(self._opened(self._part.keys)) as database:
            self._database = database
            self._watched.begin(state, is_first_time=self._begins, tables=self._tables)
            if self._begins and self._lane.is_first:
                yield self._first_batch(state)
            for wave in SnapshotLane(database, state, database.chosen, database.whole).waves():
                yield self._batch(wave, state)
                state = wave.state
            for _ in self._watched.wait():
                yield self._idle(state)
            if self._watched.may_end():
                yield self._last_batch(state)

    def _first_batch(self, state: SnapshotState) -> LogBatch:
        """What a snapshot says before its first row: the structures that it has."""
        batch = Batch(epoch.now_us())
        self._database.tell_first(batch)
        self._untold = True
        if self._lane.count > 1:
            self._tell_last(batch, Mark.TRUE)
        told = [*self._watched.started(), *batch.events]
        return LogBatch(told, self._of_state(state), at_head=True, figures=self._watched.figures)

    def _batch(self, wave: Wave, before: SnapshotState) -> LogBatch:
        if not wave.pieces and not wave.is_open and wave.state == before:
            return self._idle(before)
        for piece in wave.pieces:
            self._note_read(piece.table)
        batch = Batch(epoch.now_us(), self._sizes, self._new_events())
        if wave.pieces:
            self._tell_last(batch, Mark.TRUE)
        for piece in wave.pieces:
            size = batch.bytes
            for event in self._database.events(piece, batch.now_us, self._read_us[piece.table]):
                batch.add(event)
            self._database.note_records(piece.table, len(piece.rows), batch.bytes - size)
        count = sum(len(piece.rows) for piece in wave.pieces)
        for event in self._watched.passed(wave.state):
            batch.add(event)
        return LogBatch(
            batch.events,
            self._of_state(wave.state),
            changes=count,
            figures=self._watched.figures,
            is_open=wave.is_open and self._database.begins_anew is None,
        )

    def _idle(self, state: SnapshotState) -> LogBatch:
        """Nothing yet; a lane of which nobody was told that it begins has not begun."""
        return LogBatch([], self._progress if self._watched.is_untold else self._of_state(state), idle=True)

    def _last_batch(self, state: SnapshotState) -> LogBatch:
        """What comes after the last row, and that all is done."""
        batch = Batch(epoch.now_us())
        self._tell_last(batch, Mark.LAST)
        closes = state.closes or self._lane.count == 1  # nobody does where no table is to be read
        if closes and self._settings.heartbeat_interval_ms > 0:
            batch.add(HeartbeatLayouts(self._settings).heartbeat(batch.now_us // 1000, self._place, batch.rank))
        told = [*batch.events, *self._watched.ended()]
        reached = self._reached(self._watched.done)
        if self._database.begins_anew is not None:
            reached = replace(reached, restart=self._database.begins_anew)
        return LogBatch(told, reached, at_head=True, figures=self._watched.figures)

    def _tables(self) -> Sequence[TableId]:
        """All tables of the snapshot."""
        return self._database.all_tables() if self._all_tables is None else self._all_tables

    def _tell_last(self, batch: Batch, mark: Mark) -> None:
        """The last event of a structure, if it was held back."""
        if not self._untold:
            return
        (self._tell_structure or self._database.tell_last)(batch, mark)
        self._untold = False

    def _note_read(self, table: str) -> None:
        if table not in self._read_us:
            self._read_us[table] = self._database.clock()

    def _of_state(self, state: SnapshotState) -> Progress:
        if self._database.begins_anew is not None:
            return self._progress
        held = {UNTOLD: True} if self._untold else {}
        return self._reached({**self._part.to_dict(state), **held})

    def _reached(self, content: Mapping[str, Any]) -> Progress:
        return replace(self._progress, snapshot={"lanes": self._lane.count, **content})
