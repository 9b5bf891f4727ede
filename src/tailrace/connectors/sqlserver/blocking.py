"""What a blocking snapshot asks of SQL Server.

It is read in chunks and exact, also where `snapshot.isolation.mode` asks for an initial one in Debezium's way: that would be
of another position than the one at which the log waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.change_tables.blocking import BlockedChangeTables
from tailrace.connectors.shared.blocking import BlockingReader
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signalled_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots.planning import part_of
from tailrace.connectors.sqlserver.snapshots.reading import snapshot_reader


def blocking_reader(
    settings: SqlServerSettings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
) -> BlockingReader[SqlServerSettings]:
    """What reads the blocking snapshot that a lane's progress has."""
    settings = evolve(settings, snapshot_isolation_mode=None)
    blocked = BlockedChangeTables(SqlServerDialect(settings), T_SQL, part_of, snapshot_reader)
    return BlockingReader(settings, lane, progress, history, blocked)
