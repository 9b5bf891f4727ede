"""Reading the log, and what comes between: blocking snapshots, structures that a signal gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, cast

from tailrace.config.settings import MySqlSettings
from tailrace.connectors.base import HistoryRecord, LogBatch, LogRange, Progress
from tailrace.connectors.mysql.streaming import LogReader


class Following:
    """Reads a range, once."""

    def __init__(
        self, settings: MySqlSettings, range_: LogRange, progress: Progress, history: Sequence[HistoryRecord]
    ) -> None:
        self._settings = settings
        self._range = range_
        self._progress = progress
        self._history = list(history)

    def batches(self) -> Iterator[LogBatch]:
        """The range's batches, as `Connector.read` has them."""
        is_left = True
        while is_left:
            yield from self._blocking()
            reader = LogReader(self._settings, self._range, self._progress, tuple(self._history))
            yield from self._noted(reader.batches())
            is_left = reader.is_left
        yield from self._blocking()

    def _blocking(self) -> Iterator[LogBatch]:
        """A blocking snapshot, if one was asked for."""
        if "blocking" not in (self._progress.signalled or {}):
            return
        from tailrace.connectors.mysql.blocking import BlockingReader  # rarely needed

        reader = BlockingReader(self._settings, self._range.lane, self._progress, tuple(self._history))
        yield from self._noted(reader.batches())

    def _noted(self, batches: Iterator[LogBatch]) -> Iterator[LogBatch]:
        """The same, and where they have come to."""
        with closing(cast("Any", batches)):
            for batch in batches:
                self._progress = batch.progress
                self._history += batch.history
                yield batch
