"""Spark's offsets in the direct way: which slice of work comes next, decided from a few values.

An offset is an instruction, not the truth about delivery: `slice` counts the turns, `until` is where a bounded turn ends
(null: it works for some seconds), `snapshot` is there when the turn is for reading a snapshot and names the query, and
`floor` is how far every lane had come when the turn was planned. How many lanes there are is no part of it: a turn that
is run again after their number has changed is done by those of now.
Spark stores an offset before it runs the turn and may run it again; that is harmless, since every task goes on from
what the sink says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace.connectors.base import Lane, Progress
from tailrace.errors import ProgressError

Offset = Mapping[str, Any]
INITIAL: Offset = {"slice": 0}  # asked for again when the first turn fails, so it must not change


@dataclass(frozen=True, slots=True)
class Turn:
    """One task's work.

    Attributes:
        lane: whose, of how many.
        first: whether no turn came before, so that the sink may know nothing yet.
        floor: how far the sink had come when this was planned, as position text.
        until: where the log is to be read to; None: for a slice of time.
        snapshot: the lane's part of a snapshot is to be read, and nothing of the log after it.

    """

    lane: Lane
    first: bool
    floor: str
    until: Mapping[str, Any] | None
    snapshot: bool = False

    @property
    def is_bounded(self) -> bool:
        """Whether it ends where its work is done, not after a slice of time."""
        return self.snapshot or self.until is not None


@dataclass(frozen=True, slots=True)
class Goal:
    """What a query is for.

    Attributes:
        until: where it ends; None: it follows the log.
        snapshot: the query's own name where it is for reading a snapshot; else "".

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
    floor = min(progress.delivered if progress else "" for progress in lanes)
    offset = {"slice": start["slice"] + 1, "floor": floor, "until": goal.until}
    return {**offset, "snapshot": goal.snapshot} if goal.snapshot else offset


def _is_reached(start: Offset, goal: Goal) -> bool:
    if goal.snapshot:
        return start.get("snapshot") == goal.snapshot
    return goal.until is not None and start.get("until") == goal.until


def turns(start: Offset, end: Offset, lanes: int, goal: Goal) -> list[Turn]:
    """The work between two offsets, a turn for each lane; one planned without an end gets one in a query that has a goal."""
    if start == end:
        return []
    first, floor = start["slice"] == 0, end.get("floor", "")
    snapshot = bool(goal.snapshot or end.get("snapshot"))
    until = goal.until if end.get("until") is None else end["until"]
    return [Turn(Lane(n, lanes), first, floor, until, snapshot) for n in range(lanes)]


def check_progress(*, first: bool, floor: str, progress: Progress | None) -> None:
    """Refuse to go on where the sink has lost what Spark's checkpoint knows that it had."""
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
