"""Reading SQL Server's logs, and what comes between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailrace.config.settings import SqlServerSettings
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.shared.following import BatchReader, Following
from tailrace.connectors.sqlserver.streaming import LogReader


def batches(
    settings: SqlServerSettings, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
) -> Iterator[LogBatch]:
    """The batches of a range, as `Connector.read` has them."""

    def log(progress: Progress, history: Sequence[HistoryRecord]) -> LogReader:
        return LogReader(settings, range_, progress, history)

    def blocking(progress: Progress, history: Sequence[HistoryRecord]) -> BatchReader:
        from tailrace.connectors.sqlserver.blocking import blocking_reader  # rarely needed

        return blocking_reader(settings, range_.lane, progress, history)

    return Following(progress, history, log, blocking).batches()
