"""The figures of all tasks of a run, summed; and as a line for people."""

from __future__ import annotations

import time
from typing import Any, Final

FIELDS: Final = ("changes", "records", "bytes", "commits", "skipped")


class Totals:
    """The figures of all tasks of a run.

    Attributes:
        latest: those of the task that was the last to tell; empty before the first.

    """

    def __init__(self) -> None:
        self._tasks: dict[int, dict[str, Any]] = {}  # the latest of each lane
        self._past = dict.fromkeys(FIELDS, 0)
        self.latest: dict[str, Any] = {}
        self._began_at = time.monotonic()

    def add(self, figures: dict[str, Any]) -> None:
        """Add a task's figures, which count from that task's start."""
        lane = figures["lane"]
        before = self._tasks.get(lane)
        if before is not None and before["task"] != figures["task"]:
            for name in FIELDS:
                self._past[name] += before[name]
        self._began_at = self._began_at if self.latest else time.monotonic()
        self._tasks[lane] = self.latest = figures

    def count(self, name: str) -> int:
        """A figure over all tasks."""
        return int(self._past[name] + sum(figures[name] for figures in self._tasks.values()))

    def __str__(self) -> str:
        seconds = max(time.monotonic() - self._began_at, 0.001)
        pieces = [
            f"{self.count('changes'):,} changes",
            f"{self.count('records'):,} records",
            size_text(self.count("bytes")),
            f"{self.count('changes') / seconds:,.0f} changes/s",
        ]
        if skipped := self.count("skipped"):
            pieces.append(f"{skipped:,} skipped")
        if self.latest.get("lag_ms", -1) >= 0:
            pieces.append(f"lag {self.latest['lag_ms'] / 1000:.1f} s")
        if self.latest.get("delivered"):
            pieces.append(f"at {self.latest['delivered']}")
        return " · ".join(pieces)


def size_text(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
