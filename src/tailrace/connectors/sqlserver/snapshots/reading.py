"""A lane's part of a snapshot of SQL Server: what `shared/snapshots/reading.py` asks of the database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from tailrace import epoch
from tailrace.connectors.base import HistoryRecord, Lane, Others, Progress, alone
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import beginning_of, position_facts
from tailrace.connectors.change_tables.told_structures import ToldStructures
from tailrace.connectors.shared import source_blocks
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.database import TellStructure
from tailrace.connectors.shared.snapshots.planning import tables_to_read
from tailrace.connectors.shared.snapshots.read_records import ReadChanges, events_of, number_for_all, text_for_all
from tailrace.connectors.shared.snapshots.reading import SnapshotReader
from tailrace.connectors.sqlserver import source_block
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource
from tailrace.events.event import Event
from tailrace.events.shape import Shape
from tailrace.schema.changes_topic import SchemaEvent
from tailrace.schema.history import parse_id
from tailrace.schema.tables import Table, TableId
from tailrace.snapshot.source import Mark, Piece


class SqlServerSnapshot(SqlServerSource):
    """A `SnapshotDatabase` over one server, opened at P; used by one lane."""

    def __init__(
        self,
        settings: SqlServerSettings,
        progress: Progress,
        history: Sequence[HistoryRecord],
        keys: Mapping[str, Any],
        *,
        reads_ahead: bool = True,
    ) -> None:
        """`history`: with the structures at P; `keys`: of the lane's tables, as its progress has them; else as there."""
        super().__init__(settings, progress.restart, keys, with_overrides=True, reads_ahead=reads_ahead)
        self._restart = POSITIONS.restart(progress.restart)
        self._told = ToldStructures(SqlServerDialect(settings), history)
        self._changes = {name: read_changes(settings, self._restart[name].lsn) for name in self._restart}

    @property
    def begins_anew(self) -> Mapping[str, Any] | None:
        """Another process goes on where this one was."""
        return None

    def all_tables(self) -> list[TableId]:
        """Of the captured tables those that are read."""
        told = sorted(self._told.tables)
        return tables_to_read(self._settings, [each for name in self._restart for each in told if each.catalog == name])

    def clock(self) -> int:
        """The server's, to the microsecond."""
        return epoch.microseconds_of(self.any_session().one("SELECT SYSUTCDATETIME()"))

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of rows."""
        changes = self._changes[parse_id(piece.table).catalog]
        return events_of(changes.of_piece(piece.of, piece.rows, piece.mark.value, read_us, self._shape), now_us)

    def tell_first(self, batch: Batch) -> None:
        """All events of the structures but the last one."""
        for database, event in self._events[:-1]:
            self._told.add_events([event], self._restart[database].lsn, batch, Mark.TRUE.value)

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """The last one."""
        for database, event in self._events[-1:]:
            self._told.add_events([event], self._restart[database].lsn, batch, mark.value)

    def _shape(self, table: Table) -> Shape:
        return self._databases[table.id.catalog].tables.shape_of(table)

    @cached_property
    def _events(self) -> list[tuple[str, SchemaEvent]]:
        return [(name, event) for name in self._restart for event in self._told.initial_events(name)]


def read_changes(settings: SqlServerSettings, lsn: Lsn, *, is_behind: bool = False) -> ReadChanges:
    """What makes read events of rows as they were at an LSN of a database; `is_behind`: they come behind its changes."""
    source = {
        "change_lsn": text_for_all(None),
        "commit_lsn": text_for_all(lsn.text),
        "event_serial_no": number_for_all(None),
    }

    def constants(table: TableId) -> Mapping[str, str | None]:
        return source_block.constants(settings, table)

    position = position_facts(beginning_of(lsn.next() if is_behind else lsn))
    is_flag, marks = source_block.snapshot_is_flag(settings), source_blocks.MARKS[settings.tailrace_event_shape]
    return ReadChanges(source, position, constants, is_flag, marks)


def snapshot_reader(
    settings: SqlServerSettings,
    lane: Lane,
    progress: Progress,
    history: Sequence[HistoryRecord],
    others: Others = alone,
    tables: Sequence[TableId] | None = None,
    tell_structure: TellStructure | None = None,
) -> SnapshotReader:
    """What reads the part of a lane that its progress has; `tables`, `tell_structure`: see `SnapshotReader`."""

    def opened(keys: Mapping[str, Any]) -> SqlServerSnapshot:
        if settings.snapshot_isolation_mode is None:
            return SqlServerSnapshot(settings, progress, history, keys)
        from tailrace.connectors.sqlserver.snapshots.isolated import IsolatedSnapshot  # which builds on this module

        return IsolatedSnapshot(settings, progress, history, keys)

    position = POSITIONS.restart(progress.restart).delivered
    return SnapshotReader(settings, lane, progress, position, opened, others, tables, tell_structure)
