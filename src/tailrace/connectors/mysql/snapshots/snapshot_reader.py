"""A lane's part of a snapshot of MySQL: MySQL's side of `shared/snapshots/snapshot_reader.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Lane, OtherLanes, Progress, no_other_lanes
from tailrace.connectors.mysql.connection import rows
from tailrace.connectors.mysql.positions import RestartPosition
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.planning import tables_to_read
from tailrace.connectors.mysql.snapshots.read_records import read_changes
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.database import AddStructure
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.connectors.shared.snapshots.read_records import events_of
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.events.event import Event
from tailrace.schema.tables import TableId
from tailrace.snapshot.source import Mark, Piece


class MySqlSnapshot:
    """A `SnapshotDatabase` over one server, opened at P; for one lane.

    Attributes:
        source: reads the rows.

    """

    def __init__(self, settings: MySqlSettings, source: MySqlSource, position: RestartPosition) -> None:
        """`source` is opened at `position`, P."""
        self.source = source
        self._settings = settings
        self._position = position
        self._changes = read_changes(settings, position)

    @property
    def new_snapshot_restart(self) -> Mapping[str, Any] | None:
        """None: another process can resume."""
        return None

    def all_tables(self) -> list[TableId]:
        """The captured tables that a snapshot reads."""
        tables = self._settings.tables
        captured = (table for table in self.source.definitions.structures if tables.matches(table))
        return tables_to_read(self._settings, captured)

    def clock(self) -> int:
        """The server's clock in whole seconds, as microseconds since the epoch."""
        ((seconds,),) = rows(self.source.catalog_connection, "SELECT UNIX_TIMESTAMP()")
        return int(seconds) * 1_000_000

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of a piece."""
        shape_of = self.source.tables.shape
        return events_of(self._changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, shape_of), now_us)

    def add_first_structures(self, batch: Batch) -> None:
        """Add all initial schema-change events but the last one."""
        self.source.definitions.add_first_events(self._position, batch)

    def add_last_structure(self, batch: Batch, mark: Mark) -> None:
        """Add the last initial schema-change event, with its mark."""
        self.source.definitions.add_last_event(self._position, batch, mark.value)


def snapshot_reader(
    settings: MySqlSettings,
    lane: Lane,
    progress: Progress,
    history: Sequence[HistoryRecord],
    others: OtherLanes = no_other_lanes,
    tables: Sequence[TableId] | None = None,
    add_structure: AddStructure | None = None,
) -> SnapshotReader:
    """The reader of a lane's part; the arguments are those of `SnapshotReader`."""
    position = RestartPosition.from_dict(progress.restart)

    def opened(keys: Mapping[str, Any]) -> MySqlSnapshot:
        """Open the source at P; `keys`: of the lane's tables, from its progress."""
        chosen = stored_keys(keys, ChunkKey.from_dict)
        source = MySqlSource(settings, lane.number, progress.restart, history, chosen, with_overrides=True)
        return MySqlSnapshot(settings, source, position)

    return SnapshotReader(settings, lane, progress, str(position.position), opened, others, tables, add_structure)
