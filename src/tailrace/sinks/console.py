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
from tailrace.errors import ConfigError, SinkLostError
from tailrace.link import Reporter
from tailrace.sinks.base import RecordedState
from tailrace.sinks.lane_record import room_on_disk
from tailrace.sinks.one_lane import OneLaneSink

LINES_A_MESSAGE = 500


class ConsoleSink(OneLaneSink):
    """The sink for one task: prints through the driver."""

    def __init__(self, folder: Path, source: str, run: str, link: str) -> None:
        super().__init__(folder, source, run)
        self._screen = Reporter(link)

    def open(self, lane: int) -> RecordedState:
        """Take the lane over."""
        if not self._screen.connected:
            raise ConfigError("--to console prints where the driver runs: it needs a local master")
        return super().open(lane)

    def write(self, records: Sequence[Records]) -> int:
        """Print events, in log order over all topics.

        Raises:
            SinkLostError: the driver is gone.
            TailraceError: the driver could not print them.

        """
        from tailrace.sinks.lines import render_lines

        rendered = [render_lines(item) for item in records]
        lines = [line for item in rendered for line in bytes(item.data).splitlines()]
        order = np.argsort(np.concatenate([item.log_order for item in records]), kind="stable")
        for first in range(0, len(order), LINES_A_MESSAGE):
            self._screen.send("events", [lines[i].decode() for i in order[first : first + LINES_A_MESSAGE]])
        self._screen.raise_failure()
        if not self._screen.connected:
            raise SinkLostError("the driver, which prints the events, is gone")
        return sum(map(len, lines))

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Store the progress."""
        with room_on_disk(self._records), self._record.locked():
            self._last = self._record.store(self._last, progress, history, ())

    def close(self) -> None:
        """Close the link."""
        self._screen.close()
