"""A lane's part of a snapshot: the change tables' side of `shared/snapshots/reading.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.change_tables.snapshots.read_changes import read_changes
from tailrace.connectors.change_tables.told_structures import ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots import database
from tailrace.connectors.shared.snapshots.planning import tables_to_read
from tailrace.connectors.shared.snapshots.read_records import events_of
from tailrace.events.event import Event
from tailrace.events.shape import Shape
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.source import Mark, Piece


class LaneSource(database.LaneSource, Protocol):
    """The source of the rows: a `ChangeTableSource`, or one that reads them in another way."""

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events; it may be an earlier structure."""
        ...


class ChangeTableSnapshot:
    """A `SnapshotDatabase` over one server, opened at P; for one lane.

    Attributes:
        source: reads the rows.

    """

    def __init__(
        self,
        events: Events,
        source: LaneSource,
        history: Sequence[HistoryRecord],
        restart: RestartPosition,
        clock: Callable[[], int],
        *,
        begins_anew: bool = False,
    ) -> None:
        """A snapshot of a source's rows.

        Args:
            events: of the database.
            source: at P.
            history: with the structures at P.
            restart: P.
            clock: returns the server's time, microseconds since the epoch.
            begins_anew: whether another process can't resume the snapshot.

        """
        self._settings = events.settings
        self.source = source
        self._restart = restart
        self._clock = clock
        self._begins_anew = begins_anew
        self._told = ToldStructures(events, history)
        self._changes = {name: read_changes(events, restart[name].lsn) for name in restart}

    @property
    def begins_anew(self) -> Mapping[str, Any] | None:
        """P, if another process can't resume and must begin a new snapshot; else None."""
        return self._restart.to_dict() if self._begins_anew else None

    def all_tables(self) -> list[TableId]:
        """The captured tables that a snapshot reads."""
        told = sorted(self._told.tables)
        return tables_to_read(self._settings, [each for name in self._restart for each in told if each.catalog == name])

    def clock(self) -> int:
        """The server's clock, microseconds since the epoch."""
        return self._clock()

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of a piece."""
        changes = self._changes[parse_id(piece.table).catalog]
        shape_of = self.source.shape_of
        return events_of(changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, shape_of), now_us)

    def tell_first(self, batch: Batch) -> None:
        """Add all initial schema-change events but the last one."""
        for name, event in self._events[:-1]:
            self._told.add_events([event], self._restart[name].lsn, batch, Mark.TRUE.value)

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last initial schema-change event, with its mark."""
        for name, event in self._events[-1:]:
            self._told.add_events([event], self._restart[name].lsn, batch, mark.value)

    @cached_property
    def _events(self) -> list[tuple[str, SchemaEvent]]:
        return [(name, event) for name in self._restart for event in self._told.initial_events(name)]
