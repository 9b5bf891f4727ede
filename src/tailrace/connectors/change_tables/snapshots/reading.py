"""A lane's part of a snapshot: the change tables' side of `shared/snapshots/reading.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.change_tables.snapshots.read_changes import read_changes
from tailrace.connectors.change_tables.told_structures import ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.planning import tables_to_read
from tailrace.connectors.shared.snapshots.read_records import events_of
from tailrace.events.event import Event
from tailrace.events.shape import Shape
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Interval, Segment
from tailrace.snapshot.source import Chunk, Mark, Piece, Section, SnapshotSource, View


class LaneSource(SnapshotSource, Protocol):
    """The source of the rows: a `ChangeTableSource`, or one that reads them in another way."""

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        ...

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """The shape of a structure's read events; it may be an earlier structure."""
        ...

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class ChangeTableSnapshot:
    """A `SnapshotDatabase` over one server, opened at P; for one lane."""

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
        self._source = source
        self._restart = restart
        self._clock = clock
        self._begins_anew = begins_anew
        self._told = ToldStructures(events, history)
        self._changes = {name: read_changes(events, restart[name].lsn) for name in restart}

    @property
    def chosen(self) -> frozenset[str]:
        """The tables whose rows a statement of the user selects."""
        return self._source.chosen

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return self._source.whole

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
        shape_of = self._source.shape_of
        return events_of(changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, shape_of), now_us)

    def tell_first(self, batch: Batch) -> None:
        """Add all initial schema-change events but the last one."""
        for database, event in self._events[:-1]:
            self._told.add_events([event], self._restart[database].lsn, batch, Mark.TRUE.value)

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last initial schema-change event, with its mark."""
        for database, event in self._events[-1:]:
            self._told.add_events([event], self._restart[database].lsn, batch, mark.value)

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became records of `size` bytes."""
        self._source.note_records(table, count, size)

    def expect(self, segments: Iterable[Segment]) -> None:
        """Announce the segments that are read next."""
        self._source.expect(segments)

    def read(self, segment: Segment) -> Chunk | None:
        """The next rows of a segment; None if the table is gone."""
        return self._source.read(segment)

    def has_room(self) -> bool:
        """Whether another chunk may be read before the log."""
        return self._source.has_room()

    def view(self, table: str) -> View | None:
        """A view of a table without a key; None: it is gone."""
        return self._source.view(table)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The sections of the log from where the last call ended."""
        return self._source.changes(upto)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a before key in one of the intervals."""
        return self._source.inside(touches, rows, intervals)

    def close(self) -> None:
        """Close the connections."""
        self._source.close()

    @cached_property
    def _events(self) -> list[tuple[str, SchemaEvent]]:
        return [(name, event) for name in self._restart for event in self._told.initial_events(name)]
