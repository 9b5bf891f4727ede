"""Lanes at different positions, and how they get to one.

The assignment of tables to lanes (their number, and the routing that decides each table's topic) can change only when
all lanes are at one position: otherwise a table would continue in a lane that is behind or ahead of its former one. So
lanes at different positions first read up to a common boundary, with the old assignment and topic names; it is the
nearest one that the connector knows. A single lane does so too if only it can resume from its position.

A run does so if its configured assignment differs; a stop does so as far as its time allows. Nothing
is lost or duplicated if it does not get there: the next run finds what is recorded.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

from attrs import evolve

from tailrace.signals.moved_work import has_unmovable
from tailrace.sinks.base import Claim, Confirm, Sink, unasked
from tailrace.source.job import Job
from tailrace.source.new_snapshot import Ask

ATTEMPTS: Final = 3  # if the server is replaced meanwhile, lanes pass a boundary by different lengths
APART: Final = (
    "the lanes have stopped at different positions, from which the next run goes on. Where it finds other topic names or "
    "another tasks.max, it first brings them to one position under the old ones"
)


def claimed(job: Job, sink: Sink, confirm: Confirm = unasked) -> Claim:
    """Take the sink over, with the configured number of lanes if possible; with nothing recorded, one lane.

    `confirm` raises if another run has the lease.
    """
    # first with the recorded number: only when tasks of an earlier run are fenced do the lanes' positions stay as they are
    claim = sink.claim(sink.recorded().lanes, confirm)
    wanted = job.lanes if any(claim.progress) else 1
    connector = job.new_connector()
    if claim.lanes == wanted or not all(each is None or connector.can_change_lanes(each) for each in claim.progress):
        return claim
    return sink.claim(wanted, confirm)


def recorded(job: Job) -> Claim:
    """The sink's recorded progress of the lanes."""
    with closing(job.new_sink()) as sink:
        return sink.recorded()


def is_needed(job: Job, claim: Claim) -> bool:
    """Whether the lanes must get to one position before the job's assignment can apply."""
    return claim.lanes != job.lanes or claim.routing is not None


def as_recorded(job: Job, claim: Claim, ask: Ask) -> Job:
    """The job with the recorded lanes and their assignment of tables."""
    routing = claim.routing
    keeps_names = routing is not None and ask(lambda: job.would_keep_names(routing, claim.lanes))
    return evolve(job, lanes=claim.lanes, routing=routing, keeps_names=keeps_names)


def to_one_position(job: Job, claim: Claim, ask: Ask, *, nearest: bool = True) -> Job:
    """The same, reading to a common boundary; without `nearest`, or if none is known, to the head."""
    as_it_was = as_recorded(job, claim, ask)
    lanes = [progress for progress in claim.progress if progress is not None]
    if len(lanes) < claim.lanes or not nearest:
        return as_it_was
    return evolve(as_it_was, until=ask(lambda: as_it_was.new_connector().common_boundary(lanes)))


def alignment_notice(job: Job, claim: Claim) -> str:
    """A notice that the run first brings the lanes to one position."""
    now, wanted = counted(claim.lanes), counted(job.lanes)
    if claim.routing is None:
        return f"{now} to one position, to go on with {wanted} from there"
    return (
        f"{now} to one position under the topic names of before, to go on with {wanted} and the names of this configuration "
        "from there"
    )


def unchanged_notice(job: Job, claim: Claim) -> str:
    """A notice why the lanes stay as they are, and what to do."""
    if any(progress and has_unmovable(progress.signalled) for progress in claim.progress):
        return (
            f"the {counted(claim.lanes)} of {job.target} are reading a blocking snapshot, which has to end before tasks.max or "
            f"topic names can change: set them back (tasks.max={claim.lanes}) until its last rows are delivered"
        )
    return (
        f"the {counted(claim.lanes)} of {job.target} stand at different positions, though all have read to one end, so that "
        f"tasks.max or topic names can't change: set them back (tasks.max={claim.lanes}), and report this"
    )


def counted(lanes: int) -> str:
    """A number of lanes, in words."""
    return "1 lane" if lanes == 1 else f"{lanes} lanes"
