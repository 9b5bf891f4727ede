"""One part of a snapshot of SQL Server, for the DataFrame way: what of `shared/snapshots/part_reading.py` only it can tell.

What an image before lacks (`text`, `ntext`, `image`; see `incomplete_images.py`) a row that changes before it is read has as it
is read. Such a row may differ when the part is read again; the log that follows mends both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Progress, SnapshotPart
from tailrace.connectors.change_tables.told_structures import ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.part_reading import AskedPart, PartReader, Shown
from tailrace.connectors.sqlserver.blocking import NamedStructures
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.planning import place_of
from tailrace.connectors.sqlserver.snapshots.reading import read_changes
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource
from tailrace.errors import PositionLostError
from tailrace.events.event import Event
from tailrace.events.shape import Shape
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table
from tailrace.snapshot.source import Piece


def part_reader(
    settings: SqlServerSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> PartReader[SqlServerSource]:
    """What reads a part once, from where its progress says."""
    return PartReader(_SqlServerPart(settings, part, progress, history), part, progress)


class _SqlServerPart:
    """A `PartDatabase` over one server."""

    def __init__(
        self, settings: SqlServerSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._content = part.content
        self._asked = AskedPart(part.content)
        self._settings = self._asked.settings(settings)
        self._history = history
        named = {parse_id(name).catalog for name in part.content.get("keys", ())}  # as the server spells them
        self._point = POSITIONS.restart(progress.restart, sorted(named))
        is_behind = self._asked.is_incremental
        self._changes = {
            name: read_changes(settings, self._point[name].lsn, is_behind=is_behind) for name in self._point
        }

    @property
    def place(self) -> Mapping[str, Any]:
        """P, as a lane's state has it."""
        return place_of(self._point)

    def opened(self) -> SqlServerSource:
        """The server at P, with what chooses rows of the tables."""
        rows = self._settings.incremental_snapshot_chunk_size if self._asked.is_incremental else None
        return SqlServerSource(
            self._settings,
            self._point.to_dict(),
            self._content["keys"],
            self._asked.conditions,
            rows,
            with_overrides=True,
            recompiles=self._asked.is_incremental and self._settings.incremental_snapshot_option_recompile,
        )

    def shown(self, source: SqlServerSource, piece: Piece, read_us: int) -> Iterator[Shown]:
        """The read events of rows, with what shows them."""

        def shape_of(table: Table) -> Shape:
            return source.database(table.id).tables.shape_of(table)

        changes = self._changes[parse_id(piece.table).catalog]
        return changes.of_piece(piece.of, piece.rows, self._asked.mark(piece), read_us, shape_of)

    def structures(self, batch: Batch) -> list[Event]:
        """What tells the structures of P, of one database after the other; a signal's are those that it names."""
        asked = self._content.get("asked")
        told = ToldStructures(SqlServerDialect(self._settings), self._history)
        tables = list(told.tables) if asked is None else [parse_id(name) for name in asked["tables"]]
        NamedStructures(self._settings, self._history, self._point, tables).tell_all(batch)
        return batch.events

    def lost(self, error: PositionLostError) -> PositionLostError:
        """What to say where the change tables do not reach back to P any more: they do so themselves."""
        return error
