"""Reads the log, interrupted by blocking snapshots and by structures that a signal brings.

A blocking snapshot is taken at a boundary of the log, and a reader stops for one only at a boundary. But reading may
resume, or a range may end, within a transaction or a window. Then the log is read first, up to the next boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol, cast

from tailrace.connectors.base import HistoryRecord, LogBatch, Progress
from tailrace.events.event import NewEvents
from tailrace.signals.moved_work import has_unmovable


class RangeReader(Protocol):
    """Reads a range of the log, once."""

    @property
    def is_interrupted(self) -> bool:
        """Whether reading stopped before the range's end, because of requested work."""

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches."""


class BatchReader(Protocol):
    """Reads a blocking snapshot, once."""

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """Its batches."""


LogOpened = Callable[[Progress, Sequence[HistoryRecord]], RangeReader]
BlockingOpened = Callable[[Progress, Sequence[HistoryRecord]], BatchReader]


class InterruptedReading:
    """Reads a range with its interruptions, once."""

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
            progress: where reading begins.
            history: the schema history up to there.
            log: opens a reader of the range from a progress on.
            blocking: opens a reader of the blocking snapshot in a progress.
            is_boundary: whether a blocking snapshot can be taken at a progress.

        """
        self._progress = progress
        self._history = list(history)
        self._log = log
        self._blocking = blocking
        self._is_boundary = is_boundary

    def batches(self, new_events: NewEvents = list) -> Iterator[LogBatch]:
        """The range's batches, as `Connector.read` yields them."""
        is_left = True
        can_begin = self._is_boundary(self._progress)
        while is_left:
            yield from self._blocking_snapshot(new_events, can_begin=can_begin)
            reader = self._log(self._progress, tuple(self._history))
            yield from self._noted(reader.batches(new_events))
            # A reader stops early only at a boundary, so a blocking snapshot may begin there.
            is_left = can_begin = reader.is_interrupted
        yield from self._blocking_snapshot(new_events, can_begin=self._is_boundary(self._progress))

    def _blocking_snapshot(self, new_events: NewEvents, *, can_begin: bool) -> Iterator[LogBatch]:
        """The batches of the requested blocking snapshot, if it has begun or can begin here."""
        signalled = self._progress.signalled
        # One that has begun is always resumed: its P is this progress.
        if has_unmovable(signalled) or (can_begin and "blocking" in (signalled or {})):
            yield from self._noted(self._blocking(self._progress, tuple(self._history)).batches(new_events))

    def _noted(self, batches: Iterator[LogBatch]) -> Iterator[LogBatch]:
        """The same batches; their progress and history are noted, since the next reader begins with them."""
        with closing(cast("Any", batches)):
            for batch in batches:
                self._progress = batch.progress
                self._history += batch.history
                yield batch
