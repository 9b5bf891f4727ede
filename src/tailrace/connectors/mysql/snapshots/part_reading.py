"""One part of a snapshot of MySQL, for the DataFrame way: MySQL's side of `shared/snapshots/part_reading.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Progress, SnapshotPart
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.connection import connect
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.initial_structures import recreate_events
from tailrace.connectors.mysql.positions import RestartPosition, log_position
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.parts import lost
from tailrace.connectors.mysql.snapshots.read_records import read_changes
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.connectors.shared.snapshots.part_reading import PartReader, RequestedPart, ShapedChanges
from tailrace.errors import PositionLostError
from tailrace.events.event import Event
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import parse_id
from tailrace.snapshot.source import Mark, Piece


def part_reader(
    settings: MySqlSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> PartReader[MySqlSource]:
    """A reader of a part, from where its progress says."""
    return PartReader(_MySqlPart(settings, part, progress, history), part, progress)


class _MySqlPart:
    """A `PartDatabase` over one server."""

    def __init__(
        self, settings: MySqlSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._request = RequestedPart(part.content)
        self._settings = self._request.settings(settings)
        self._part = part
        self._progress = progress
        self._history = history
        self._point = RestartPosition.from_dict(progress.restart)
        self._changes = read_changes(settings, self._point)

    @property
    def position(self) -> Mapping[str, Any]:
        """P, as in a lane's state."""
        return log_position(self._point)

    def opened(self) -> MySqlSource:
        """The source of the part's rows, opened at P."""
        return MySqlSource(
            self._settings,
            self._part.number,
            self._progress.restart,
            self._history,
            stored_keys(self._part.content["keys"], ChunkKey.from_dict),
            self._request.conditions,
            self._settings.incremental_snapshot_chunk_size if self._request.is_incremental else None,
            with_overrides=True,
        )

    def read_events(self, source: MySqlSource, piece: Piece, read_us: int) -> Iterator[ShapedChanges]:
        """The read events of rows, with their shapes."""
        return self._changes.of_piece(piece.of, piece.rows, self._request.mark(piece), read_us, source.tables.shape)

    def structures(self, batch: Batch) -> list[Event]:
        """The schema-change events of the structures at P."""
        with connect(self._settings) as session:
            lower_names = catalog.server(session).lower_names
        definitions = Definitions(self._settings, self._history, lower_names=lower_names)
        if self._request.is_requested:
            definitions.add_events_at(self._named(definitions), 0, Mark.TRUE.value, self._point, batch)
        else:
            definitions.add_first_events(self._point, batch)
            definitions.add_last_event(self._point, batch, Mark.TRUE.value)
        return list(batch.events)

    def lost(self, error: PositionLostError) -> PositionLostError:
        """The error for a log that is no longer retained from P on."""
        return lost(self._point, error)

    def _named(self, definitions: Definitions) -> list[SchemaEvent]:
        """The schema-change events of the tables that a signal names."""
        return recreate_events(
            [
                (definitions.structures[parse_id(change["id"])], record["ddl"])
                for record in self._history
                for change in record.get("tableChanges") or ()
            ]
        )
