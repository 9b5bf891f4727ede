"""What a blocking snapshot asks of SQL Server.

It is read in chunks and exact, also where `snapshot.isolation.mode` asks for an initial one in Debezium's way: that would be
of another position than the one at which the log waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.change_tables.told_structures import ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.blocking import BlockingReader, ToldTables
from tailrace.connectors.shared.signalled_sql import Dialect
from tailrace.connectors.shared.snapshots.reading import SnapshotReader
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signalled_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots.planning import part_of
from tailrace.connectors.sqlserver.snapshots.reading import snapshot_reader
from tailrace.schema.tables import TableId
from tailrace.snapshot.source import Mark


def blocking_reader(
    settings: SqlServerSettings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
) -> BlockingReader[SqlServerSettings]:
    """What reads the blocking snapshot that a lane's progress has."""
    settings = evolve(settings, snapshot_isolation_mode=None)
    return BlockingReader(settings, lane, progress, history, _Blocked(settings))


class _Blocked:
    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    @property
    def dialect(self) -> Dialect:
        """In which a signal's statements are."""
        return T_SQL

    def structures(
        self, progress: Progress, history: Sequence[HistoryRecord], tables: Sequence[TableId]
    ) -> NamedStructures:
        """What tells the structures of these tables as of a progress."""
        return NamedStructures(self._settings, history, POSITIONS.restart(progress.restart), tables)

    def part(self, settings: SqlServerSettings, tables: Sequence[TableId], progress: Progress) -> Mapping[str, Any]:
        """What is to be read, in the order given."""
        return part_of(settings, tables, progress.restart)

    def reader(
        self,
        settings: SqlServerSettings,
        lane: Lane,
        progress: Progress,
        history: Sequence[HistoryRecord],
        tables: Sequence[TableId],
        structures: ToldTables,
    ) -> SnapshotReader:
        """What reads them; their names, and so their databases', are the server's."""
        restart = POSITIONS.restart(progress.restart, sorted({table.catalog for table in tables}))
        progress = replace(progress, restart=restart.to_dict())
        return snapshot_reader(settings, lane, progress, history, tables=tables, tell_structure=structures.tell_last)


class NamedStructures:
    """The structures of tables that a signal names, as an initial snapshot tells those of all tables."""

    def __init__(
        self,
        settings: SqlServerSettings,
        history: Sequence[HistoryRecord],
        restart: RestartPosition,
        tables: Sequence[TableId],
    ) -> None:
        """`history`: up to the position; `tables`: in any order."""
        self._restart = restart
        self._told = ToldStructures(SqlServerDialect(settings), history)
        wanted = frozenset(tables) if settings.include_schema_changes else frozenset()
        self._events = [
            (name, event)
            for name in restart
            for event in self._told.initial_events(name)
            if wanted.intersection(change.id for change in event.changes if change.id is not None)
        ]

    @property
    def are_told(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self._events)

    def tell_all(self, batch: Batch) -> None:
        """Add all events; rows may follow or not."""
        self.tell_first(batch)
        self.tell_last(batch, Mark.TRUE)

    def tell_first(self, batch: Batch) -> None:
        """Add all events but the last one."""
        for name, event in self._events[:-1]:
            self._told.add_events([event], self._restart[name].lsn, batch, Mark.TRUE.value)

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last one."""
        for name, event in self._events[-1:]:
            self._told.add_events([event], self._restart[name].lsn, batch, mark.value)
