"""Spark's offsets in the direct way: which slice of work comes next, decided from a few values.

An offset is an instruction, not the truth about delivery: `slice` counts the tasks' turns, `until` is where a bounded
turn ends (null: it works for some seconds), and `floor` is how far the sink had come when the turn was planned.
Spark stores an offset before it runs the turn and may run it again; that is harmless, since every task goes on from
what the sink says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tailrace.connectors.base import Progress
from tailrace.errors import ProgressError

Offset = Mapping[str, Any]
INITIAL: Offset = {"slice": 0}  # asked for again when the first turn fails, so it must not change
LANE = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One task's work.

    Attributes:
        lane: whose.
        first: whether no turn came before, so that the sink may know nothing yet.
        floor: how far the sink had come when this was planned, as position text.
        until: where the log is to be read to; None: for a slice of time.

    """

    lane: int
    first: bool
    floor: str
    until: Mapping[str, Any] | None


def next_offset(start: Offset, progress: Progress | None, target: Mapping[str, Any] | None) -> Offset:
    """The end of the next turn; `start` itself when the target is reached."""
    check_progress(first=start["slice"] == 0, floor=start.get("floor", ""), progress=progress)
    if target is not None and start.get("until") == target and progress is not None:
        return start
    return {"slice": start["slice"] + 1, "floor": progress.delivered if progress else "", "until": target}


def turns(start: Offset, end: Offset, target: Mapping[str, Any] | None) -> list[Turn]:
    """The work between two offsets; a turn planned without an end gets one in a run that has a target."""
    if start == end:
        return []
    until = end.get("until")
    return [Turn(LANE, start["slice"] == 0, end.get("floor", ""), target if until is None else until)]


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
