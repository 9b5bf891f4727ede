"""A new snapshot of a connector that has progress: when it is needed, and how it begins.

`snapshot.mode=always` takes one at each start of a run, `when_needed` if the log no longer reaches back to a
lane's position. Changes between the old progress and the new snapshot's position are not streamed. With both, an
unfinished snapshot is resumed, as long as the log reaches back to its position.

It begins with one commit of the sink, which replaces everything recorded by the new position, the structures there and
the plan. A crash before it has changed nothing. After it the job is within a snapshot, as after a
first start: the next run resumes it, and does not begin another.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Final, Protocol, TypeVar

from attrs import evolve

from tailrace.connectors.base import HistoryRecord, Lane, Progress
from tailrace.errors import PositionLostError
from tailrace.signals.moved_work import only_marks
from tailrace.sinks.base import Claim, Confirm, unasked
from tailrace.source.job import Job

ALWAYS: Final = "always"
WHEN_NEEDED: Final = "when_needed"

T = TypeVar("T")


class Ask(Protocol):
    """Calls a function, with retries."""

    def __call__(self, question: Callable[[], T], /) -> T:
        """The answer."""


def at_start(job: Job, claim: Claim, ask: Ask) -> str:
    """Why a new snapshot is needed at the start of a run; "" if none is."""
    if job.snapshot_again == ALWAYS and any(claim.progress) and not is_pending(claim):
        return "a new snapshot begins, as at each start with snapshot.mode=always"
    return _lost(job, claim, ask) if job.snapshot_again else ""


def after_failure(job: Job, ask: Ask) -> str:
    """Why one is needed after a failed run; "" within a snapshot: a new one would again be too slow for the log."""
    if job.snapshot_again != WHEN_NEEDED:
        return ""
    with closing(job.new_sink()) as sink:
        claim = sink.recorded()
    return "" if is_pending(claim) else _lost(job, claim, ask)


def another_run(job: Job) -> Job:
    """The same job with a new run, so that tasks of this one, which may come late, learn that they were superseded."""
    return evolve(job, run=uuid.uuid4().hex)


def begin(job: Job, claim: Claim, lanes: int, ask: Ask, confirm: Confirm = unasked) -> Claim:
    """Begin a snapshot for about `lanes` lanes, which replaces what is recorded.

    `confirm` raises if another run has the lease.
    """
    recorded = tuple(_recorded(claim))
    point = ask(lambda: job.new_connector().start_point(lanes, recorded))
    progress = replace(point.progress, signalled=only_marks([each.signalled for each in recorded]))

    def commit() -> Claim:
        with closing(job.new_sink()) as sink:
            return sink.replace_progress(progress, point.history, confirm)

    return ask(commit)


def is_pending(claim: Claim) -> bool:
    """Whether a lane has an unfinished snapshot."""
    return any(progress.snapshot_is_pending for progress in _recorded(claim))


def _lost(job: Job, claim: Claim, ask: Ask) -> str:
    """Why a lane can't resume at its position, also within a snapshot; "" if all can."""
    connector = evolve(job, routing=claim.routing).new_connector()
    for number, progress in enumerate(claim.progress):
        if progress is None:
            continue
        lane = Lane(number, claim.lanes)
        try:
            ask(partial(connector.require_retained, progress, partial(_history, job, number), lane))
        except PositionLostError as error:
            return (
                f"warning: the log no longer reaches back: {error}. A new snapshot begins, as snapshot.mode="
                f"{job.snapshot_again} wants; what was changed or deleted in between is not told"
            )
    return ""


def _history(job: Job, lane: int) -> Sequence[HistoryRecord]:
    with closing(job.new_sink()) as sink:
        return sink.peek_history(lane)


def _recorded(claim: Claim) -> Iterator[Progress]:
    return (progress for progress in claim.progress if progress is not None)
