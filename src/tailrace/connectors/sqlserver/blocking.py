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
from tailrace.connectors.change_tables.named_structures import NamedStructures
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
        return NamedStructures(SqlServerDialect(self._settings), history, POSITIONS.restart(progress.restart), tables)

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
