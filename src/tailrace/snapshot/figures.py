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
        self._reported: dict[str, tuple[TableState, bool]] = {}
        self._reported_at = -REPORT_SECONDS

    def throttled(self, state: SnapshotState) -> Figures | None:
        """The result of `of`; None if the last figures are very recent and the lane is not done."""
        is_late = self._clock() - self._reported_at >= REPORT_SECONDS
        return self.of(state) if is_late or state.done else None

    def of(self, state: SnapshotState) -> Figures:
        """The figures of a state."""
        self._reported_at = self._clock()
        left = {segment.table: segment for segment in state.segments}
        unfinished = state.unfinished
        abouts = {
            name: about(table, left.get(name)) if name in unfinished else table.rows
            for name, table in state.tables.items()
        }
        now = {name: (table, name not in unfinished) for name, table in state.tables.items()}
        changed = {name: reported for name, reported in now.items() if self._is_news(name, *reported)}
        self._reported = now
        return {
            "lanes": self._lanes,
            "before": self._before,
            "rows": rows_of(state),
            "chunks": state.finished.chunks + sum(table.chunks for table in state.tables.values()),
            "about": state.finished.rows + sum(abouts.values()),
            "tables": state.finished.tables + len(state.tables),
            "done": state.finished.tables + len(state.tables) - len(unfinished),
            "ended": state.done,
            "of": {name: _of(table, abouts[name], done=done) for name, (table, done) in changed.items()},
        }

    def _is_news(self, name: str, table: TableState, done: bool) -> bool:
        """Whether a table changed since its last figures.

        A whole table that waits is no news; one in parts is, because the display sums up its parts.
        """
        reported = self._reported.get(name)
        if reported is None:
            return bool(table.rows or table.chunks) or table.parts > 1 or done
        return reported[0] is not table or reported[1] != done


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


def _of(table: TableState, about_: int, *, done: bool) -> dict[str, Any]:
    return {
        "rows": table.rows,
        "about": about_,
        "chunks": table.chunks,
        "part": table.part,
        "parts": table.parts,
        "done": done,
    }
