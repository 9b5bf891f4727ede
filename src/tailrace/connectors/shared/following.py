"""Reading the log, and what comes between: blocking snapshots, structures that a signal gives.

A blocking snapshot is as of a boundary of the log. A reader leaves the log only there; but a progress from which reading goes
on, and the end of a range, may lie within a transaction, or a window: then the log comes first, and leaves at the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol, cast

from tailrace.connectors.base import HistoryRecord, LogBatch, Progress
from tailrace.events.event import NewEvents
from tailrace.signals.carried import has_unmovable


class RangeReader(Protocol):
    """Reads a range of the log, once."""

    @property
    def is_left(self) -> bool:
        """Whether reading ended within the range, for what a signal asked for."""

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches."""


class BatchReader(Protocol):
    """Reads something, once."""

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """Its batches."""


LogOpened = Callable[[Progress, Sequence[HistoryRecord]], RangeReader]
BlockingOpened = Callable[[Progress, Sequence[HistoryRecord]], BatchReader]


class Following:
    """Reads a range, once."""

    def __init__(
        self,
        progress: Progress,
        history: Sequence[HistoryRecord],
        log: LogOpened,
        blocking: BlockingOpened,
        is_boundary: Callable[[Progress], bool],
    ) -> None:
        """A range that is not read yet.

        Args:
            progress: from where on.
            history: the schema history up to there.
            log: reads the range from a progress on.
            blocking: reads the blocking snapshot that a progress has.
            is_boundary: whether a blocking snapshot can be as of a progress.

        """
        self._progress = progress
        self._history = list(history)
        self._log = log
        self._blocking = blocking
        self._is_boundary = is_boundary

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches, as `Connector.read` has them."""
        is_left = True
        can_begin = self._is_boundary(self._progress)
        while is_left:
            yield from self._blocking_snapshot(new_events, can_begin=can_begin)
            reader = self._log(self._progress, tuple(self._history))
            yield from self._noted(reader.batches(new_events))
            is_left = can_begin = reader.is_left
        yield from self._blocking_snapshot(new_events, can_begin=self._is_boundary(self._progress))

    def _blocking_snapshot(self, new_events: NewEvents, *, can_begin: bool) -> Iterator[LogBatch]:
        """One that was asked for, if it has begun, or can begin here."""
        signalled = self._progress.signalled
        if has_unmovable(signalled) or (can_begin and "blocking" in (signalled or {})):
            yield from self._noted(self._blocking(self._progress, tuple(self._history)).batches(new_events))

    def _noted(self, batches: Iterator[LogBatch]) -> Iterator[LogBatch]:
        """The same, and where they have come to."""
        with closing(cast("Any", batches)):
            for batch in batches:
                self._progress = batch.progress
                self._history += batch.history
                yield batch
