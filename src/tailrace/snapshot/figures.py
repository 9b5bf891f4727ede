"""What a lane tells of its part of a snapshot while it reads it, for display and metrics only.

The content is JSON, so that it can go to another process:

    lanes    how many read the snapshot
    before   rows that were delivered before this process began: they count as done, not as its speed
    rows     delivered by the lane, of all its tables
    chunks   read
    about    how many rows the lane has in all, as it looks now; never fewer than `rows`
    tables   how many it has in all
    done     how many of them it is through with
    ended    whether it is through with all
    beside   only of an incremental snapshot: true
    of       by table, what has changed since the last time, and at first all that is begun, done or in parts: `rows`,
             `about`, `chunks`, `part`, `parts`, `done`

**About.** The server's estimate of a table's rows may be far off. Where the key begins with a number, the place that was
reached between the least and the greatest one says how much of the table is read; that is off as well where numbers are
not spread evenly. So both are mixed: the further the reading is, the more the place counts, and also where more rows were
read than the server had thought there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from tailrace.snapshot.segments import Segment
from tailrace.snapshot.state import SnapshotState, TableState

TELL_SECONDS: Final = 0.25

Told = Mapping[str, Any]


class LaneFigures:
    """The figures of one lane, from a state on."""

    def __init__(self, state: SnapshotState, lanes: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`lanes`: of the snapshot; `clock` gives seconds."""
        self._lanes = lanes
        self._before = rows_of(state)
        self._clock = clock
        self._told: dict[str, tuple[TableState, bool]] = {}
        self._told_at = -TELL_SECONDS

    def now_and_then(self, state: SnapshotState) -> Told | None:
        """What `of` gives, or None where the last was told a moment ago and the lane is not done."""
        is_late = self._clock() - self._told_at >= TELL_SECONDS
        return self.of(state) if is_late or state.done else None

    def of(self, state: SnapshotState) -> Told:
        """What is to be told of a state."""
        self._told_at = self._clock()
        left = {segment.table: segment for segment in state.segments}
        unfinished = state.unfinished
        abouts = {
            name: about(table, left.get(name)) if name in unfinished else table.rows
            for name, table in state.tables.items()
        }
        now = {name: (table, name not in unfinished) for name, table in state.tables.items()}
        changed = {name: told for name, told in now.items() if self._is_news(name, *told)}
        self._told = now
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
        """Whether something happened to a table since it was told of.

        Of a whole one that waits there is nothing to tell; that one is in parts is for the others to know.
        """
        told = self._told.get(name)
        if told is None:
            return bool(table.rows or table.chunks) or table.parts > 1 or done
        return told[0] is not table or told[1] != done


def merged(before: Told | None, after: Told | None) -> Told | None:
    """Both in one, of one lane in their order."""
    if before is None or after is None:
        return after or before
    return {**after, "before": before["before"], "of": {**before["of"], **after["of"]}}


def rows_of(state: SnapshotState) -> int:
    """How many rows a lane has delivered."""
    return state.finished.rows + sum(table.rows for table in state.tables.values())


def about(table: TableState, left: Segment | None) -> int:
    """How many rows a lane has of a table that it is not through with, as it looks now; never fewer than it has."""
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
    """How much of the lane's range of keys is read, 0 to 1; None where the key does not say."""
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
