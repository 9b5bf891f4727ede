"""A lane's part of a snapshot of change tables: what `shared/snapshots/reading.py` asks of the database."""

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
    """Where the rows come from: a `ChangeTableSource`, or what reads them in another way."""

    @property
    def chosen(self) -> frozenset[str]:
        """The tables of which a statement of the user's own chooses the rows."""
        ...

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        ...

    def shape_of(self, table: Table) -> Shape:
        """Of read events of a structure, which may be one of before."""
        ...

    def note_records(self, table: str, count: int, size: int) -> None:
        """So many rows of a table became records of so many bytes."""
        ...

    def close(self) -> None:
        """Let go of the server."""
        ...


class ChangeTableSnapshot:
    """A `SnapshotDatabase` over one server, opened at P; used by one lane."""

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
        """What tells the rows of a source.

        Args:
            events: of the database.
            source: which stands at P.
            history: with the structures there.
            restart: P.
            clock: the server's, in microseconds since the epoch.
            begins_anew: another process can't go on where this one was.

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
        """The tables of which a statement of the user's own chooses the rows."""
        return self._source.chosen

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""
        return self._source.whole

    @property
    def begins_anew(self) -> Mapping[str, Any] | None:
        """P, where another process can't go on and has to begin anew; else None."""
        return self._restart.to_dict() if self._begins_anew else None

    def all_tables(self) -> list[TableId]:
        """Of the captured tables those that are read."""
        told = sorted(self._told.tables)
        return tables_to_read(self._settings, [each for name in self._restart for each in told if each.catalog == name])

    def clock(self) -> int:
        """The server's, to the microsecond."""
        return self._clock()

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of rows."""
        changes = self._changes[parse_id(piece.table).catalog]
        shape_of = self._source.shape_of
        return events_of(changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, shape_of), now_us)

    def tell_first(self, batch: Batch) -> None:
        """All events of the structures but the last one."""
        for database, event in self._events[:-1]:
            self._told.add_events([event], self._restart[database].lsn, batch, Mark.TRUE.value)

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """The last one."""
        for database, event in self._events[-1:]:
            self._told.add_events([event], self._restart[database].lsn, batch, mark.value)

    def note_records(self, table: str, count: int, size: int) -> None:
        """So many rows of a table became records of so many bytes."""
        self._source.note_records(table, count, size)

    def expect(self, segments: Iterable[Segment]) -> None:
        """They are read next."""
        self._source.expect(segments)

    def read(self, segment: Segment) -> Chunk | None:
        """The next rows of a segment; None where the table is gone."""
        return self._source.read(segment)

    def has_room(self) -> bool:
        """Whether another chunk may be read before the log."""
        return self._source.has_room()

    def view(self, table: str) -> View | None:
        """A view of a table without a key; None: it is gone."""
        return self._source.view(table)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended."""
        return self._source.changes(upto)

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a key before that lies in one of the intervals."""
        return self._source.inside(touches, rows, intervals)

    def close(self) -> None:
        """Let go of the server."""
        self._source.close()

    @cached_property
    def _events(self) -> list[tuple[str, SchemaEvent]]:
        return [(name, event) for name in self._restart for event in self._told.initial_events(name)]
