"""The console: events go over the link to the driver, which owns the screen and prints them.

A screen can't roll back, so events appear when they are read, and those after the last commit
appear again after a crash. Progress is kept in a folder, as for files, so that a later run resumes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tailrace.changes.records import Records
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.errors import ConfigError
from tailrace.link import Reporter
from tailrace.sinks.base import Claim, Confirm, RecordedState, unasked
from tailrace.sinks.lane_record import Commit, LaneRecord, room_on_disk

LINES_A_MESSAGE = 500


class ConsoleSink:
    """The sink for one task: prints through the driver."""

    def __init__(self, folder: Path, source: str, run: str, link: str) -> None:
        self._folder = folder
        self._source = source
        self._run = run
        self._record = self._lane_record(0)
        self._last: Commit | None = None
        self._screen = Reporter(link)

    def claim(self, lanes: int, confirm: Confirm = unasked) -> Claim:  # noqa: ARG002 -- one lane is enough for a screen
        """Sign the one lane, so that tasks of other runs can't open it any more; its progress."""
        with room_on_disk(self._folder), self._record.locked():
            confirm()  # whoever takes the lease later waits for the lock, and signs later
            self._record.claim()
        return Claim((self.peek(0),))

    def recorded(self) -> Claim:
        """The progress of its one lane."""
        return Claim((self.peek(0),))

    def replace_progress(
        self, progress: Progress, history: Sequence[HistoryRecord], confirm: Confirm = unasked
    ) -> Claim:
        """Let the one lane resume from there, as if it had just begun."""
        self.open(0)
        with self._record.locked():
            confirm()
            self._last = self._record.store(self._last, progress, history, (), replaces_history=True)
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
        """Take the lane over."""
        if not self._screen.connected:
            raise ConfigError("--to console prints where the driver runs: it needs a local master")
        self._record = self._lane_record(lane)
        with room_on_disk(self._folder), self._record.locked():
            self._last = self._record.take()
        if self._last is None:
            return RecordedState()
        return RecordedState(self._last.progress, self._record.history(self._last), self._last.number)

    def write(self, records: Sequence[Records]) -> int:
        """Print events, in log order over all topics."""
        from tailrace.sinks.lines import render_lines

        rendered = [render_lines(item) for item in records]
        lines = [line for item in rendered for line in bytes(item.data).splitlines()]
        order = np.argsort(np.concatenate([item.log_order for item in records]), kind="stable")
        for first in range(0, len(order), LINES_A_MESSAGE):
            self._screen.send("events", [lines[i].decode() for i in order[first : first + LINES_A_MESSAGE]])
        return sum(map(len, lines))

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Store the progress."""
        with room_on_disk(self._folder), self._record.locked():
            self._last = self._record.store(self._last, progress, history, ())

    def close(self) -> None:
        """Close the link."""
        self._screen.close()

    def superseded_by_same_run(self) -> bool:
        """Whether a `FencedError` only means that another attempt of this run is active."""
        return self._record.superseded_by_same_run()

    def _lane_record(self, lane: int) -> LaneRecord:
        return LaneRecord(self._folder / f"lane-{lane}", self._source, self._run)
