"""The change tables' side of blocking snapshots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from tailrace.config.settings import Settings
from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.named_structures import NamedStructures
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.shared.blocking import StructureEvents
from tailrace.connectors.shared.signal_sql import Dialect
from tailrace.connectors.shared.snapshots.database import AddStructure
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.schema.tables import TableId

SettingsT_contra = TypeVar("SettingsT_contra", bound=Settings, contravariant=True)

PartOf = Callable[[SettingsT_contra, Sequence[TableId], Mapping[str, Any]], Mapping[str, Any] | None]
"""The initial state of a lane that reads these tables, in order, as of a restart position; None: the log goes on first."""


class ReaderOf(Protocol[SettingsT_contra]):
    """Makes the reader of a lane's part."""

    def __call__(
        self,
        settings: SettingsT_contra,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        *,
        tables: Sequence[TableId],
        add_structure: AddStructure,
    ) -> SnapshotReader:
        """`tables`: all of them; `add_structure` adds the last structure event, if it was held back."""
        ...


@dataclass(frozen=True, slots=True)
class BlockingChangeTables(Generic[SettingsT_contra]):
    """A `BlockingDatabase`.

    Attributes:
        events: of the database.
        dialect: the SQL dialect of a signal's statements.
        part_of: plans what is read, with settings that have the signal's statements.
        reader_of: makes the reader.

    """

    events: Events
    dialect: Dialect
    part_of: PartOf[SettingsT_contra]
    reader_of: ReaderOf[SettingsT_contra]

    def structures(
        self, progress: Progress, history: Sequence[HistoryRecord], tables: Sequence[TableId]
    ) -> NamedStructures:
        """The schema-change events of these tables as of a progress."""
        return NamedStructures(self.events, history, self._positions.restart(progress.restart), tables)

    def part(
        self, settings: SettingsT_contra, tables: Sequence[TableId], progress: Progress
    ) -> Mapping[str, Any] | None:
        """The initial state of a lane that reads these tables, in the given order; None: the log goes on first."""
        return self.part_of(settings, tables, progress.restart)

    def reader(
        self,
        settings: SettingsT_contra,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        tables: Sequence[TableId],
        structures: StructureEvents,
    ) -> SnapshotReader:
        """The reader of the tables; the names of tables and databases are spelled as on the server."""
        restart = self._positions.restart(progress.restart, sorted({table.catalog for table in tables}))
        progress = replace(progress, restart=restart.to_dict())
        tell = structures.add_last
        return self.reader_of(settings, lane, progress, history, tables=tables, add_structure=tell)

    @property
    def _positions(self) -> Positions:
        return Positions(self.events.lsns)
