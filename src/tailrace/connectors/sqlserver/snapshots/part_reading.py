"""One part of a snapshot of SQL Server, for the DataFrame way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Progress, SnapshotPart
from tailrace.connectors.change_tables.snapshots.part_reading import ChangeTablePart
from tailrace.connectors.shared.snapshots.part_reading import PartReader, RequestedPart
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.snapshots.source import SqlServerSource, opened_source


def part_reader(
    settings: SqlServerSettings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> PartReader[SqlServerSource]:
    """A reader of a part, from where its progress says."""
    asked = RequestedPart(part.content)
    chosen = asked.settings(settings)

    def opened(point: Mapping[str, Any]) -> SqlServerSource:
        return opened_source(
            chosen,
            point,
            part.content["keys"],
            history,
            asked.conditions,
            chosen.incremental_snapshot_chunk_size if asked.is_incremental else None,
            with_overrides=True,
            recompiles=asked.is_incremental and chosen.incremental_snapshot_option_recompile,
        )

    return PartReader(ChangeTablePart(SqlServerDialect(chosen), part, progress, history, opened), part, progress)
