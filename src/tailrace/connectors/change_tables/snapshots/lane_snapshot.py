"""A lane's part of a snapshot: the change tables' side of `shared/snapshots/snapshot_reader.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.change_tables.snapshots.read_changes import read_changes
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
        starts_over: bool = False,
    ) -> None:
        """A snapshot of a source's rows.

        Args:
            events: of the database.
            source: at P.
            history: with the structures at P.
            restart: P.
            clock: returns the server's time, microseconds since the epoch.
            starts_over: whether another process can't resume the snapshot.

        """
        self._settings = events.settings
        self.source = source
        self._restart = restart
        self._clock = clock
        self._starts_over = starts_over
        self._announced = AnnouncedStructures(events, history)
        self._changes = {name: read_changes(events, restart[name].lsn) for name in restart}

    @property
    def new_snapshot_restart(self) -> Mapping[str, Any] | None:
        """P, if another process can't resume and must begin a new snapshot; else None."""
        return self._restart.to_dict() if self._starts_over else None

    def all_tables(self) -> list[TableId]:
        """The captured tables that a snapshot reads."""
        announced = sorted(self._announced.tables)
        return tables_to_read(
            self._settings, [each for name in self._restart for each in announced if each.catalog == name]
        )

    def clock(self) -> int:
        """The server's clock, microseconds since the epoch."""
        return self._clock()

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of a piece."""
        changes = self._changes[parse_id(piece.table).catalog]
        shape_of = self.source.shape_of
        return events_of(changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, shape_of), now_us)

    def add_first_structures(self, batch: Batch) -> None:
        """Add all initial schema-change events but the last one."""
        for name, event in self._events[:-1]:
            self._announced.add_events([event], self._restart[name].lsn, batch, Mark.TRUE.value)

    def add_last_structure(self, batch: Batch, mark: Mark) -> None:
        """Add the last initial schema-change event, with its mark."""
        for name, event in self._events[-1:]:
            self._announced.add_events([event], self._restart[name].lsn, batch, mark.value)

    @cached_property
    def _events(self) -> list[tuple[str, SchemaEvent]]:
        return [(name, event) for name in self._restart for event in self._announced.initial_events(name)]
