"""Db2's side of a blocking snapshot.

It is read in chunks and exact, even if `snapshot.isolation.mode` requests Debezium's way for the initial one. That
would be as of another position than the one where the log waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.connectors.change_tables.blocking import BlockingChangeTables
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.signal_sql import DB2_SQL
from tailrace.connectors.db2.snapshots.planning import part_of
from tailrace.connectors.db2.snapshots.snapshot_reader import snapshot_reader
from tailrace.connectors.shared.blocking import BlockingReader


def blocking_reader(
    settings: Db2Settings, lane: Lane, progress: Progress, history: Sequence[HistoryRecord]
) -> BlockingReader[Db2Settings]:
    """The reader of the blocking snapshot in a lane's progress."""
    settings = evolve(settings, snapshot_isolation_mode=None)
    blocked = BlockingChangeTables(Db2Dialect(settings), DB2_SQL, part_of, snapshot_reader)
    return BlockingReader(settings, lane, progress, history, blocked)
