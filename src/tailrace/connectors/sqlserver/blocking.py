"""SQL Server's side of a blocking snapshot.

It is read in chunks and exact, even if `snapshot.isolation.mode` requests Debezium's way for the initial one. That
would be as of another position than the one where the log waits.
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
    """The reader of the blocking snapshot in a lane's progress."""
    settings = evolve(settings, snapshot_isolation_mode=None)
    return BlockingReader(settings, lane, progress, history, _Blocked(settings))


class _Blocked:
    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of a signal's statements."""
        return T_SQL

    def structures(
        self, progress: Progress, history: Sequence[HistoryRecord], tables: Sequence[TableId]
    ) -> NamedStructures:
        """The schema-change events of these tables as of a progress."""
        return NamedStructures(SqlServerDialect(self._settings), history, POSITIONS.restart(progress.restart), tables)

    def part(self, settings: SqlServerSettings, tables: Sequence[TableId], progress: Progress) -> Mapping[str, Any]:
        """The initial state of a lane that reads these tables, in the given order."""
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
        """The reader of the tables; the names of tables and databases are spelled as on the server."""
        restart = POSITIONS.restart(progress.restart, sorted({table.catalog for table in tables}))
        progress = replace(progress, restart=restart.to_dict())
        return snapshot_reader(settings, lane, progress, history, tables=tables, tell_structure=structures.tell_last)
