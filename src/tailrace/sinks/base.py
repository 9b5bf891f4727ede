"""The interface between a sink and the tasks that deliver to it.

A sink stores each lane's progress beside the records; `commit` makes both visible atomically. Its record is
the only truth about delivery: a task begins by reading it and resumes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tailrace.changes.records import Records
from tailrace.connectors.base import HistoryRecord, Progress

Confirm = Callable[[], object]


@dataclass(frozen=True, slots=True)
class RecordedState:
    """A lane's recorded state: nothing yet (`progress` is None), or its progress and structures.

    `commits`: how many there were before, by which one whose answer was lost is known to have come through.
    """

    progress: Progress | None = None
    history: Sequence[HistoryRecord] = field(default=())
    commits: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A sink's recorded progress of all current lanes.

    Attributes:
        progress: of each lane; None for one that has delivered nothing.
        routing: the one in use while lanes are at different positions; None: the configured one.

    """

    progress: tuple[Progress | None, ...]
    routing: Mapping[str, Any] | None = None

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return len(self.progress)

    @property
    def is_at_one_position(self) -> bool:
        """Whether all lanes have delivered up to the same position."""
        first, *others = self.progress
        return all(
            each is first if first is None or each is None else each.is_at_same_position(first) for each in others
        )


def unasked() -> None:
    """A claim that nobody has to confirm."""


class Sink(Protocol):
    """A target for records. Every task and the planner create their own.

    `open`, `write` and `commit` raise `SinkLostError` if the sink must be reopened, and `FencedError`
    if somebody else has the lane.
    """

    def claim(self, lanes: int, confirm: Confirm = unasked) -> Claim:
        """Take the sink over for this run, before its tasks begin, and fence its previous owner.

        If nothing is recorded, or all lanes are at one position and none is within a blocking snapshot,
        there are `lanes` lanes from now on, under the configured routing; otherwise the recorded lanes
        stay, as the result says.

        `confirm` raises if another run has the lease. It is asked when the previous owner is fenced, before anything is
        written: whoever takes the lease later fences this claim, even if it stands still in between.
        """

    def recorded(self) -> Claim:
        """The recorded progress, without fencing anybody."""

    def replace_progress(
        self, progress: Progress, history: Sequence[HistoryRecord], confirm: Confirm = unasked
    ) -> Claim:
        """Replace everything recorded by one lane with this progress and this history, atomically.

        Only the run that has claimed the sink may call it, while none of its tasks is active. Delivered records stay. `confirm`
        is asked as in `claim`.

        Raises:
            FencedError: another run has claimed it since.

        """

    def peek(self, lane: int) -> Progress | None:
        """A lane's progress, without disturbing a task that may be active there."""

    def peek_history(self, lane: int) -> Sequence[HistoryRecord]:
        """The schema history of a lane up to there, also without disturbing anybody."""

    def open(self, lane: int) -> RecordedState:
        """Take a lane over: from now on its previous owner gets a `FencedError` from `commit`."""

    def write(self, records: Sequence[Records]) -> int:
        """Write records, invisible until they are committed; returns their size in bytes."""

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Make everything written since the last commit visible, with the progress, atomically and durably."""

    def close(self) -> None:
        """Close the sink; what was not committed is dropped."""

    def superseded_by_same_run(self) -> bool:
        """After a `FencedError`: whether it only means that another attempt of this run is active."""
