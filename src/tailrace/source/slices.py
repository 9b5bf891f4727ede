"""Spark's offsets in `tailrace run`: which slice of work comes next, decided from a few values.

An offset is an instruction, not the truth about delivery: `slice` counts the turns, `until` is where a bounded turn
ends (null: it works for some seconds), `snapshot` is present if the turn reads a snapshot and names the query, and
`floor` is the progress that every lane had reached when the turn was planned. The number of lanes is not part of it: if
it has changed when a turn runs again, the current lanes do the work.
Spark stores an offset before it runs the turn and may run it again; that is harmless, since every task resumes from
the sink's progress.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.connectors.base import Lane, Progress
from tailrace.errors import ProgressError

Offset = Mapping[str, Any]
INITIAL: Offset = {"slice": 0}  # Spark requests it again when the first turn fails, so it must not change


@dataclass(frozen=True, slots=True)
class Turn:
    """One task's work.

    Attributes:
        lane: its number, and how many there are.
        first: whether no turn came before, so that the sink may be empty.
        floor: the sink's progress when this was planned, as position text.
        until: where to stop reading the log; None: after a slice of time.
        snapshot: whether to read the lane's part of a snapshot, and nothing of the log after it.
        number: of the turn, the same for all lanes.

    """

    lane: Lane
    first: bool
    floor: str
    until: Mapping[str, Any] | None
    snapshot: bool = False
    number: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether it ends when its work is done, not after a slice of time."""
        return self.snapshot or self.until is not None


@dataclass(frozen=True, slots=True)
class Goal:
    """A query's purpose.

    Attributes:
        until: where it ends; None: it follows the log.
        snapshot: the query's own name if it reads a snapshot; else "".

    """

    until: Mapping[str, Any] | None = None
    snapshot: str = ""


def next_offset(start: Offset, lanes: Sequence[Progress | None], goal: Goal) -> Offset:
    """The end of the next turn; `start` itself when the goal is reached."""
    if "slice" not in start:
        raise ProgressError(
            "the checkpoint is that of another query: name a folder of this connector's own (--checkpoint), or remove it, the "
            "target knows how far it came"
        )
    for progress in lanes:
        check_progress(first=start["slice"] == 0, floor=start.get("floor", ""), progress=progress)
    if _is_reached(start, goal) and None not in lanes:
        return start
    floor = min(progress.delivered if progress else "" for progress in lanes)  # "" sorts before every position
    offset = {"slice": start["slice"] + 1, "floor": floor, "until": goal.until}
    return {**offset, "snapshot": goal.snapshot} if goal.snapshot else offset


def _is_reached(start: Offset, goal: Goal) -> bool:
    if goal.snapshot:
        return start.get("snapshot") == goal.snapshot
    return goal.until is not None and start.get("until") == goal.until


def turns(start: Offset, end: Offset, lanes: int, goal: Goal) -> list[Turn]:
    """The work between two offsets, a turn for each lane; the goal bounds turns that were planned without an end."""
    if start == end:
        return []
    first, floor = start["slice"] == 0, end.get("floor", "")
    snapshot = bool(goal.snapshot or end.get("snapshot"))
    until = goal.until if end.get("until") is None else end["until"]
    return [Turn(Lane(n, lanes), first, floor, until, snapshot, end["slice"]) for n in range(lanes)]


def check_progress(*, first: bool, floor: str, progress: Progress | None) -> None:
    """Refuse to continue if the sink has lost progress that Spark's checkpoint knows of."""
    if progress is None:
        if first:
            return
        raise ProgressError(
            "the checkpoint says that records were delivered before, but the sink has no progress record: "
            "its folder was emptied or another one is named; name the old one, or start anew with an empty checkpoint"
        )
    if progress.delivered < floor:
        raise ProgressError(
            f"the sink's progress {progress.delivered or '(nothing)'} lies before {floor}, which it had reached when "
            "the checkpoint was written: it was put back to an older state; if that was meant, remove the checkpoint"
        )
