"""What a sink of the direct way offers to the task that delivers.

A sink keeps, beside the records, how far each lane has come; both become visible at once, by `commit`. Its record is
the only truth about delivery: a task begins by reading it and goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tailrace.changes.records import Records
from tailrace.connectors.base import HistoryRecord, Progress


@dataclass(frozen=True, slots=True)
class Opened:
    """What a sink knows of a lane: nothing yet (`progress` is None), or how far it came and with which structures."""

    progress: Progress | None = None
    history: Sequence[HistoryRecord] = field(default=())


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sink has recorded: how far each lane has come; as many lanes as there are now.

    Attributes:
        progress: of each lane; None where it has delivered nothing.
        routing: what tables have been dealt out by among lanes that stand apart, and still are; None: by what is configured.

    """

    progress: tuple[Progress | None, ...]
    routing: Mapping[str, Any] | None = None

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return len(self.progress)

    @property
    def is_at_one_position(self) -> bool:
        """Whether all lanes have delivered the same."""
        first, *others = self.progress
        return all(each is first if first is None or each is None else each.stands_with(first) for each in others)


class Sink(Protocol):
    """A place for records. Made anew by every task and by the planner.

    `open`, `write` and `commit` raise `SinkLostError` where the sink must be opened anew to go on, and `FencedError`
    where somebody else has the lane.
    """

    def claim(self, lanes: int) -> Claim:
        """Take the sink over for this run, before its tasks begin: whoever delivered to it before is fenced.

        Where nothing is recorded, or all lanes that are stand at one position and none is within a blocking snapshot,
        there are `lanes` lanes from now on, under the routing that is configured; otherwise it stays with those that are
        recorded, as the answer says.
        """

    def recorded(self) -> Claim:
        """What is recorded, without disturbing anybody."""

    def begin_anew(self, progress: Progress, history: Sequence[HistoryRecord]) -> Claim:
        """One lane, with this progress and this history, in place of all that is recorded: at once and for good.

        To be called by the run that has claimed the sink, while none of its tasks is at work. What was delivered stays.

        Raises:
            FencedError: another run has claimed it since.

        """

    def peek(self, lane: int) -> Progress | None:
        """How far a lane has come, without disturbing the task that may be at work there."""

    def peek_history(self, lane: int) -> Sequence[HistoryRecord]:
        """The schema history of a lane up to there, without disturbing anybody either."""

    def open(self, lane: int) -> Opened:
        """Take a lane over: from now on, whoever had it before gets a `FencedError` from `commit`."""

    def write(self, records: Sequence[Records]) -> int:
        """Take records in, invisible until they are committed; returns their size in bytes."""

    def commit(self, progress: Progress, history: Sequence[HistoryRecord]) -> None:
        """Make everything written since the last commit visible, with the progress, at once and for good."""

    def close(self) -> None:
        """Let go; what was not committed is dropped."""

    def superseded_by_same_run(self) -> bool:
        """After a `FencedError`: whether it only means that another attempt of this run is at work."""
