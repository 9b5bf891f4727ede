"""A snapshot's progress over all its lanes: the tasks' reports, summed by table.

Rows that were delivered before this run began count as done, but not as speed. An estimate that turns out too low grows
with the rows, so that a share never exceeds 100 %, and 100 % appears only when a table is done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

RECENT_SECONDS: Final = 10.0


@dataclass(slots=True)
class Speed:
    """Rows per second, from counts at times (a clock's seconds)."""

    _samples: deque[tuple[float, int]] = field(default_factory=deque)
    _first: tuple[float, int] | None = None

    def note(self, now: float, rows: int) -> None:
        """Set the current number of rows that count as speed."""
        if self._first is None:
            self._first = now, rows
        self._samples.append((now, rows))
        while len(self._samples) > 2 and now - self._samples[1][0] >= RECENT_SECONDS:
            self._samples.popleft()

    @property
    def recent(self) -> float:
        """Of the last seconds."""
        return _per_second(self._samples[0], self._samples[-1]) if self._samples else 0.0

    @property
    def overall(self) -> float:
        """Since the first."""
        return _per_second(self._first, self._samples[-1]) if self._first is not None else 0.0


class TableProgress:
    """One table over all lanes: the sums of the last report of each part, and the speed.

    Lanes report a hundred times a second, so sums are kept and not made anew.

    Attributes:
        rows: delivered.
        chunks: read.
        about: the current estimate of its rows.
        count: the number of its parts.
        parts_done: the number of delivered parts.

    """

    __slots__ = ("_parts", "about", "chunks", "count", "parts_done", "rows", "speed")

    def __init__(self) -> None:
        self.speed = Speed()
        self.rows = self.chunks = self.about = self.parts_done = 0
        self.count = 1
        self._parts: dict[int, Mapping[str, Any]] = {}

    def add(self, lane: int, part: Mapping[str, Any]) -> None:
        """Add a lane's report, which replaces its last one."""
        before = self._parts.get(lane, _NO_PART)
        self._parts[lane] = part
        self.rows += int(part["rows"]) - int(before["rows"])
        self.chunks += int(part["chunks"]) - int(before["chunks"])
        self.about += int(part["about"]) - int(before["about"])
        self.parts_done += bool(part["done"]) - bool(before["done"])
        self.count = max(self.count, int(part["parts"]))

    @property
    def reported(self) -> int:
        """The number of parts of which there was a report."""
        return len(self._parts)

    @property
    def done(self) -> bool:
        """Whether all of it is delivered."""
        return self.parts_done >= self.count


_NO_PART: Final[Mapping[str, Any]] = {"rows": 0, "chunks": 0, "about": 0, "done": False}


class SnapshotProgress:
    """A snapshot in this run.

    Attributes:
        is_beside: whether the log is read at the same time: an incremental snapshot.

    """

    def __init__(self) -> None:
        self.is_beside = False
        self.tables: dict[str, TableProgress] = {}
        self.speed = Speed()
        self._open: set[str] = set()
        self._in_parts: dict[str, TableProgress] = {}
        self._lanes: dict[int, Mapping[str, Any]] = {}
        self._rows = self._rows_before = 0
        self._began_at: float | None = None
        self._now = 0.0

    def add(self, lane: int, figures: Mapping[str, Any], now: float) -> None:
        """Add a task's report, in the form of `snapshot/figures.py`; `now` is a clock's seconds."""
        self._began_at = now if self._began_at is None else self._began_at
        self._now = now
        self.is_beside = bool(figures.get("beside"))
        if lane not in self._lanes:
            self._rows_before += int(figures["before"])
        self._rows += int(figures["rows"]) - int(self._lanes[lane]["rows"] if lane in self._lanes else 0)
        self._lanes[lane] = figures
        for name, part in figures["of"].items():
            table = self.tables.setdefault(name, TableProgress())
            table.add(lane, part)
            table.speed.note(now, table.rows)
            if table.count > 1:
                self._in_parts[name] = table
            # Of a table that waits the log may have told rows: it is not being read.
            (self._open.add if table.chunks and not table.done else self._open.discard)(name)
        self.speed.note(now, self._rows - self._rows_before)

    @property
    def rows(self) -> int:
        """Delivered."""
        return self._rows

    @property
    def about(self) -> int | None:
        """The estimate of all rows; None until all lanes have reported."""
        return max(self._sum("about"), self.rows) if self._all_reported else None

    @property
    def chunks(self) -> int:
        """Read."""
        return self._sum("chunks")

    @property
    def lanes(self) -> tuple[int, int]:
        """How many are done, of how many."""
        count = max(self._lane_count, len(self._lanes))  # each lane takes a requested snapshot independently
        return sum(bool(lane["ended"]) for lane in self._lanes.values()), count

    @property
    def done(self) -> bool:
        """Whether all lanes have finished their parts."""
        ended, count = self.lanes
        return count > 0 and ended >= count

    @property
    def tables_done(self) -> tuple[int, int]:
        """How many tables are done, of how many; one in parts counts once."""
        in_parts = self._in_parts.values()
        done = self._sum("done") + sum(table.done - table.parts_done for table in in_parts)
        return done, self._sum("tables") + sum(1 - table.reported for table in in_parts)

    @property
    def seconds(self) -> float:
        """Since the run's first report."""
        return self._now - self._began_at if self._began_at is not None else 0.0

    @property
    def at_work(self) -> list[tuple[str, TableProgress]]:
        """The tables that are being read, the one with the most rows left first."""
        self._note_speeds()
        begun = [(name, self.tables[name]) for name in self._open]
        return sorted(begun, key=lambda item: item[1].rows - item[1].about)

    def to_dict(self) -> dict[str, Any]:
        """As JSON, for other programs; includes the finished tables that this run knows."""
        self._note_speeds()
        return {**self._sums(self), "tables": {name: self._sums(table) for name, table in self.tables.items()}}

    def _note_speeds(self) -> None:
        """Note that tables that nobody reported of have as many rows as before: when it is shown, not with each report."""
        for name in self._open:
            self.tables[name].speed.note(self._now, self.tables[name].rows)

    @staticmethod
    def _sums(of: SnapshotProgress | TableProgress) -> dict[str, Any]:
        return {
            "rows": of.rows,
            "about": of.about,
            "chunks": of.chunks,
            "done": of.done,
            "rows_per_second": of.speed.recent,
            "rows_per_second_overall": of.speed.overall,
            "seconds_left": seconds_left(of),
        }

    @property
    def _lane_count(self) -> int:
        return max((int(lane["lanes"]) for lane in self._lanes.values()), default=0)

    @property
    def _all_reported(self) -> bool:
        return 0 < self._lane_count <= len(self._lanes)

    def _sum(self, name: str) -> int:
        return sum(int(lane[name]) for lane in self._lanes.values())


def seconds_left(of: SnapshotProgress | TableProgress) -> float | None:
    """The remaining time at the speed of the last seconds; None if it is not known."""
    if of.done:
        return 0.0
    if of.about is None or of.speed.recent <= 0:
        return None
    return (of.about - of.rows) / of.speed.recent


def percent(of: SnapshotProgress | TableProgress) -> int | None:
    """The delivered share, 100 only when all is; None if the total is unknown."""
    if of.done:
        return 100
    return min(99, of.rows * 100 // of.about) if of.about else None


def _per_second(first: tuple[float, int], last: tuple[float, int]) -> float:
    seconds = last[0] - first[0]
    return (last[1] - first[1]) / seconds if seconds > 0 else 0.0
