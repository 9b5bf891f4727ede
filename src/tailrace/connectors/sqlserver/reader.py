"""SQL Server as a connector: where its logs are, where to begin, and their changes as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tailrace.changes.records import Records
from tailrace.config.settings import SqlServerSettings
from tailrace.connectors.base import HistoryRecord, Lane, LogBatch, LogRange, Others, Progress, StartPoint, alone
from tailrace.connectors.shared.snapshots.telling import Telling
from tailrace.connectors.sqlserver.beginning import heads, history_at
from tailrace.connectors.sqlserver.positions import RestartPosition, restart_at


class SqlServerConnector:
    """The databases of one SQL Server, read with one configuration. Cheap to make; holds no connection."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self.settings = settings

    def head(self) -> Mapping[str, Any]:
        """The newest position of the logs, at a transaction boundary."""
        return restart_at(heads(self.settings)).to_dict()

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """The heads of the logs and the structures that hold there, as the first records of a schema history.

        With a snapshot, in place of the progress in `after`.

        Raises:
            SourceSetupError: a database is not set up for change data capture; the message says what is missing.

        """
        if snapshot_lanes:
            from tailrace.connectors.sqlserver.snapshots.planning import planned  # not needed by those who read the log

            return planned(self.settings, snapshot_lanes, after)
        lsns = heads(self.settings)
        tells = self.settings.include_schema_changes or bool(self.settings.notification_enabled_channels)
        restart = restart_at(lsns, initial=tells)
        return StartPoint(restart.to_dict(), history_at(self.settings, lsns))

    def require_within_reach(self, progress: Progress) -> None:
        """Raise `PositionLostError` where change data from where this progress goes on is gone."""
        from tailrace.connectors.sqlserver.reach import require_within_reach

        require_within_reach(self.settings, progress)

    def snapshot(
        self, lane: Lane, progress: Progress, history: Sequence[HistoryRecord], others: Others = alone
    ) -> Iterator[LogBatch]:
        """A lane's part of the snapshot that its progress names, from where it says; the last batch says that it is done."""
        from tailrace.connectors.sqlserver.snapshots.reading import snapshot_reader  # as above

        return snapshot_reader(self.settings, lane, progress, history, others).batches()

    def skipped(self, progress: Progress) -> Sequence[Records]:
        """What is told at a start that finds no snapshot to be taken, with the progress of the first lane."""
        place = progress.delivered or RestartPosition.from_dict(progress.restart).delivered
        return Telling(self.settings, place).skipped()

    def read(self, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]) -> Iterator[LogBatch]:
        """The changes of a range, batch by batch; what `progress` says was delivered is left out."""
        from tailrace.connectors.sqlserver.streaming import LogReader  # the decoders: a planner asks only for the head

        return LogReader(self.settings, range_, progress, history).batches()
