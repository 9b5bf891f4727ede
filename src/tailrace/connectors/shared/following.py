"""Reading the log, and what comes between: blocking snapshots, structures that a signal gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol, cast

from tailrace.connectors.base import HistoryRecord, LogBatch, Progress


class RangeReader(Protocol):
    """Reads a range of the log, once."""

    @property
    def is_left(self) -> bool:
        """Whether reading ended within the range, for what a signal asked for."""

    def batches(self) -> Iterator[LogBatch]:
        """The range's batches."""


class BatchReader(Protocol):
    """Reads something, once."""

    def batches(self) -> Iterator[LogBatch]:
        """Its batches."""


LogOpened = Callable[[Progress, Sequence[HistoryRecord]], RangeReader]
BlockingOpened = Callable[[Progress, Sequence[HistoryRecord]], BatchReader]


class Following:
    """Reads a range, once."""

    def __init__(
        self, progress: Progress, history: Sequence[HistoryRecord], log: LogOpened, blocking: BlockingOpened
    ) -> None:
        """`log` reads the range from a progress on, `blocking` the blocking snapshot that a progress has."""
        self._progress = progress
        self._history = list(history)
        self._log = log
        self._blocking = blocking

    def batches(self) -> Iterator[LogBatch]:
        """The range's batches, as `Connector.read` has them."""
        is_left = True
        while is_left:
            yield from self._blocking_snapshot()
            reader = self._log(self._progress, tuple(self._history))
            yield from self._noted(reader.batches())
            is_left = reader.is_left
        yield from self._blocking_snapshot()

    def _blocking_snapshot(self) -> Iterator[LogBatch]:
        """One that was asked for."""
        if "blocking" in (self._progress.signalled or {}):
            yield from self._noted(self._blocking(self._progress, tuple(self._history)).batches())

    def _noted(self, batches: Iterator[LogBatch]) -> Iterator[LogBatch]:
        """The same, and where they have come to."""
        with closing(cast("Any", batches)):
            for batch in batches:
                self._progress = batch.progress
                self._history += batch.history
                yield batch
