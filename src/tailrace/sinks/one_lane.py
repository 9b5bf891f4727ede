"""What the sinks with a folder for their progress have in common: one lane, one `LaneRecord`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.failpoints import hit
from tailrace.sinks.base import Claim, Confirm, RecordedState, unasked
from tailrace.sinks.lane_record import Commit, LaneRecord, room_on_disk


class OneLaneSink:
    """The base of a sink for one task, with its progress in `records`/lane-0."""

    def __init__(self, records: Path, source: str, run: str) -> None:
        self._records = records
        self._source = source
        self._run = run
        self._record = self._lane_record(0)
        self._last: Commit | None = None

    def claim(self, lanes: int, confirm: Confirm = unasked) -> Claim:  # noqa: ARG002 -- one lane is enough for disk and screen
        """Sign the one lane, so that tasks of other runs can't open it any more; its progress."""
        with room_on_disk(self._records), self._record.locked():
            confirm()  # whoever takes the lease later waits for the lock, and signs later
            self._record.claim()
        return self.recorded()

    def recorded(self) -> Claim:
        """The progress of its one lane."""
        return Claim((self.peek(0),))

    def replace_progress(
        self, progress: Progress, history: Sequence[HistoryRecord], confirm: Confirm = unasked
    ) -> Claim:
        """Let the one lane resume from there, as if it had just begun; what was delivered stays."""
        self.open(0)
        with room_on_disk(self._records), self._record.locked():
            confirm()
            hit("sink.before-anew")
            self._last = self._record.store(self._last, progress, history, (), replaces_history=True)
            hit("sink.after-anew")
        return Claim((progress,))

    def peek(self, lane: int) -> Progress | None:
        """A lane's progress."""
        commit = self._lane_record(lane).read()
        return commit.progress if commit else None

    def peek_history(self, lane: int) -> Sequence[HistoryRecord]:
        """The schema history of a lane."""
        record = self._lane_record(lane)
        return record.history(record.read())

    def open(self, lane: int) -> RecordedState:
        """Take the lane over; subclasses do more."""
        self._record = self._lane_record(lane)
        with room_on_disk(self._records), self._record.locked():
            self._last = self._record.take()
            self._tidy(self._last)
        if self._last is None:
            return RecordedState()
        return RecordedState(self._last.progress, self._record.history(self._last), self._last.number)

    def superseded_by_same_run(self) -> bool:
        """Whether a `FencedError` only means that another attempt of this run is active."""
        return self._record.superseded_by_same_run()

    def _tidy(self, last: Commit | None) -> None:
        """Remove what the previous owner has left behind, with the lock held."""

    def _lane_record(self, lane: int) -> LaneRecord:
        return LaneRecord(self._records / f"lane-{lane}", self._source, self._run)
