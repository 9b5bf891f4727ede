"""SQL Server's side of a blocking snapshot.

It is read in chunks and exact, even if `snapshot.isolation.mode` requests Debezium's way for the initial one. That
would be as of another position than the one where the log waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.change_tables.blocking import BlockingChangeTables
from tailrace.connectors.shared.blocking import BlockingReader
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots.planning import part_of
from tailrace.connectors.sqlserver.snapshots.snapshot_reader import snapshot_reader


def blocking_reader(
    settings: SqlServerSettings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
) -> BlockingReader[SqlServerSettings]:
    """The reader of the blocking snapshot in a lane's progress."""
    settings = evolve(settings, snapshot_isolation_mode=None)
    blocked = BlockingChangeTables(SqlServerDialect(settings), T_SQL, part_of, snapshot_reader)
    return BlockingReader(settings, lane, progress, history, blocked)
