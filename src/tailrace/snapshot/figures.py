"""A lane's figures about its part of a snapshot, for display and metrics only.

The content is JSON, so that it can go to another process:

    lanes    how many read the snapshot
    before   rows that were delivered before this process began: they count as done, not as its speed
    rows     delivered by the lane, of all its tables
    chunks   read
    about    the current estimate of the lane's rows; never fewer than `rows`
    tables   how many it has
    done     how many of them it has finished
    ended    whether it has finished all
    beside   only for an incremental snapshot: true
    of       by table, changes since the last time, at first of all that are begun, done or in parts: `rows`,
             `about`, `chunks`, `part`, `parts`, `done`

**About.** The server's estimate of a table's rows may be far off. If the key begins with a number, the position
between the least and the greatest one says how much of the table is read; that is off as well if numbers are
not spread evenly. So both are mixed: the position counts more the further the reading is, and if more rows were
read than the server's estimate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import SnapshotState, TableState

REPORT_SECONDS: Final = 0.25

Figures = Mapping[str, Any]


class LaneFigures:
    """The figures of one lane, from a state on."""

    def __init__(self, state: SnapshotState, lanes: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`lanes`: of the snapshot; `clock` gives seconds."""
        self._lanes = lanes
        self._before = rows_of(state)
        self._clock = clock
        # By table: its state, whether it is done, about how many rows it has.
        self._noted: dict[str, tuple[TableState, bool, int]] = {}
        self._about = 0
        self._reported_at = -REPORT_SECONDS

    def throttled(self, state: SnapshotState) -> Figures | None:
        """The result of `of`; None if the last figures are very recent and the lane is not done."""
        is_late = self._clock() - self._reported_at >= REPORT_SECONDS
        return self.of(state) if is_late or state.done else None

    def of(self, state: SnapshotState) -> Figures:
        """The figures of a state."""
        self._reported_at = self._clock()
        unfinished = state.unfinished
        # Most tables wait or are done: what was found of these holds.
        changed = {
            name: (table, name not in unfinished)
            for name, table in state.tables.items()
            if (noted := self._noted.get(name)) is None
            or noted[0] is not table
            or noted[1] is not (name not in unfinished)
        }
        news = self._told(changed)
        left = {segment.table: segment for segment in state.segments if segment.table in changed}
        for name, (table, done) in changed.items():
            self._note(name, table, table.rows if done else about(table, left.get(name)), done=done)
        return {
            "lanes": self._lanes,
            "before": self._before,
            "rows": rows_of(state),
            "chunks": state.finished.chunks + sum(table.chunks for table in state.tables.values()),
            "about": state.finished.rows + self._about,
            "tables": state.finished.tables + len(state.tables),
            "done": state.finished.tables + len(state.tables) - len(unfinished),
            "ended": state.done,
            "of": {name: _of(*self._noted[name]) for name in news},
        }

    def _told(self, changed: Mapping[str, tuple[TableState, bool]]) -> list[str]:
        """Those of the changed tables that are told.

        A whole table that waits is no news; one in parts is, because the display sums up its parts.
        """
        return [
            name
            for name, (table, done) in changed.items()
            if name in self._noted or table.rows or table.chunks or table.parts > 1 or done
        ]

    def _note(self, name: str, table: TableState, rows: int, *, done: bool) -> None:
        """Note what was found of a table; a lane's states all have the same tables."""
        known = self._noted.get(name)
        self._about += rows - (known[2] if known else 0)
        self._noted[name] = table, done, rows


def merged(before: Figures | None, after: Figures | None) -> Figures | None:
    """Merge two figures of one lane, in their order."""
    if before is None or after is None:
        return after or before
    return {**after, "before": before["before"], "of": {**before["of"], **after["of"]}}


def rows_of(state: SnapshotState) -> int:
    """How many rows a lane has delivered."""
    return state.finished.rows + sum(table.rows for table in state.tables.values())


def about(table: TableState, left: Segment | None) -> int:
    """The current estimate of a lane's rows of an unfinished table; never fewer than it has delivered."""
    place = _place(table, left)
    if table.estimate:
        by_count = min(table.rows / table.estimate, 1.0)
        doubt = min(max(table.rows / table.estimate - 1, 0.0), 1.0)  # in the estimate
    else:
        by_count, doubt = 0.0, 1.0
    if place is None:
        return max(table.estimate, table.rows)
    weight = max(place, doubt)
    share = (1 - weight) * by_count + weight * place
    return max(round(table.rows / share), table.rows) if share > 0 else max(table.estimate, table.rows)


def _place(table: TableState, left: Segment | None) -> float | None:
    """How much of the lane's key range is read, 0 to 1; None if the key is not a number."""
    if table.span is None or left is None:
        return None
    low, high = table.span
    reached = left.after[0] if left.after else low
    if not isinstance(reached, int) or high <= low:
        return None
    return min(max((reached - low) / (high - low), 0.0), 1.0)


def _of(table: TableState, done: bool, about_: int) -> dict[str, Any]:
    return {
        "rows": table.rows,
        "about": about_,
        "chunks": table.chunks,
        "part": table.part,
        "parts": table.parts,
        "done": done,
    }
