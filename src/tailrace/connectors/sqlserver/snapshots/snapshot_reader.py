"""A lane's part of a snapshot of SQL Server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tailrace.connectors.base import HistoryRecord, Lane, OtherLanes, Progress, no_other_lanes
from tailrace.connectors.change_tables.snapshots.lane_snapshot import ChangeTableSnapshot
from tailrace.connectors.shared.snapshots.database import AddStructure
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.source import opened_source, server_clock
from tailrace.schema.tables import TableId


def snapshot_reader(
    settings: SqlServerSettings,
    lane: Lane,
    progress: Progress,
    history: Sequence[HistoryRecord],
    others: OtherLanes = no_other_lanes,
    tables: Sequence[TableId] | None = None,
    add_structure: AddStructure | None = None,
) -> SnapshotReader:
    """The reader of a lane's part; `tables`, `add_structure`: see `SnapshotReader`."""
    dialect, restart = SqlServerDialect(settings), POSITIONS.restart(progress.restart)

    def opened(keys: Mapping[str, Any]) -> ChangeTableSnapshot:
        """Open the source at P; `keys`: of the lane's tables, from its progress."""
        if settings.snapshot_isolation_mode is None:
            source = opened_source(settings, progress.restart, keys, history, with_overrides=True)
            return ChangeTableSnapshot(dialect, source, history, restart, partial(server_clock, source))
        from tailrace.connectors.sqlserver.snapshots.isolated import isolated_source  # rarely needed

        isolated = isolated_source(settings, progress, keys)
        clock = partial(server_clock, isolated.source)
        return ChangeTableSnapshot(dialect, isolated, history, isolated.restart, clock, starts_over=True)

    return SnapshotReader(settings, lane, progress, restart.delivered, opened, others, tables, add_structure)
