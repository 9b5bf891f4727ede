"""One part of a snapshot of Db2, for the DataFrame way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.connectors.base import HistoryRecord, Progress, SnapshotPart
from tailrace.connectors.change_tables.snapshots.part_reading import ChangeTablePart
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots.source import Db2Source, opened_source
from tailrace.connectors.shared.snapshots.part_reading import PartReader, RequestedPart


def part_reader(
    settings: Db2Settings, part: SnapshotPart, progress: Progress, history: Sequence[HistoryRecord]
) -> PartReader[Db2Source]:
    """A reader of a part, from where its progress says."""
    asked = RequestedPart(part.content)
    chosen = asked.settings(settings)

    def opened(point: Mapping[str, Any]) -> Db2Source:
        return opened_source(
            chosen,
            point,
            part.content["keys"],
            history,
            asked.conditions,
            chosen.incremental_snapshot_chunk_size if asked.is_incremental else None,
            with_overrides=True,
        )

    return PartReader(ChangeTablePart(Db2Dialect(chosen), part, progress, history, opened), part, progress)
