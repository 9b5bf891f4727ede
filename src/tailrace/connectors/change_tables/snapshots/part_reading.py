"""One part of a snapshot, for the DataFrame way: the change tables' side of `shared/snapshots/part_reading.py`.

If a before image lacks a value, the row's current value is used. Such a row may differ when the part is read again; the
log that follows corrects both readings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from tailrace.connectors.base import HistoryRecord, Progress, SnapshotPart
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.named_structures import NamedStructures
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.snapshots.planning import position_of
from tailrace.connectors.change_tables.snapshots.read_changes import read_changes
from tailrace.connectors.change_tables.snapshots.source import ChangeTableSource
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.part_reading import RequestedPart, ShapedChanges
from tailrace.errors import PositionLostError
from tailrace.events.event import Event
from tailrace.schema.history import parse_id
from tailrace.snapshot.source import Piece

SourceT = TypeVar("SourceT", bound=ChangeTableSource[Any, Any])


class ChangeTablePart(Generic[SourceT]):
    """A `PartDatabase` over one server."""

    def __init__(
        self,
        events: Events,
        part: SnapshotPart,
        progress: Progress,
        history: Sequence[HistoryRecord],
        opened: Callable[[Mapping[str, Any]], SourceT],
    ) -> None:
        """`opened` opens the source of the part's rows at a restart position."""
        self._events = events
        self._content = part.content
        self._request = RequestedPart(part.content)
        self._history = history
        self._open = opened
        named = {parse_id(name).catalog for name in part.content.get("keys", ())}  # as the server spells them
        self._point = Positions(events.lsns).restart(progress.restart, sorted(named))
        is_behind = self._request.is_incremental
        self._changes = {
            name: read_changes(events, self._point[name].lsn, is_behind=is_behind) for name in self._point
        }

    @property
    def position(self) -> Mapping[str, Any]:
        """P, as in a lane's state."""
        return position_of(self._point)

    def opened(self) -> SourceT:
        """Open the source at P."""
        return self._open(self._point.to_dict())

    def read_events(self, source: SourceT, piece: Piece, read_us: int) -> Iterator[ShapedChanges]:
        """The read events of rows, with their shapes."""
        changes = self._changes[parse_id(piece.table).catalog]
        return changes.of_piece(piece.of, piece.rows, self._request.mark(piece), read_us, source.shape_of)

    def structures(self, batch: Batch) -> list[Event]:
        """The schema-change events of the structures at P, by database; for a signal, of the tables that it names."""
        request = self._content.get("asked")
        announced = AnnouncedStructures(self._events, self._history)
        tables = list(announced.tables) if request is None else [parse_id(name) for name in request["tables"]]
        NamedStructures(self._events, self._history, self._point, tables).add_all(batch)
        return list(batch.events)

    def lost(self, error: PositionLostError) -> PositionLostError:
        """The error for change tables that no longer retain P: they raise a complete one themselves."""
        return error
