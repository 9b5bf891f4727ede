"""The notification at the start of a run that takes no snapshot, because one was taken before, or none is configured.

The driver sends it, in a separate commit of the first lane, before any task delivers: so it comes once per run, and
before everything else. The progress does not change.
"""

from __future__ import annotations

from contextlib import closing

from tailrace.connectors.base import Progress
from tailrace.sinks.base import Claim
from tailrace.source.job import Job
from tailrace.source.new_snapshot import Ask, is_pending


def send(job: Job, claim: Claim, ask: Ask) -> None:
    """Send the notification, if notifications are enabled, at the start of a run that has claimed the sink."""
    first = claim.progress[0] if claim.progress else None
    if first is None or is_pending(claim):
        return
    tried: list[int] = []
    ask(lambda: _deliver(job, first, tried))


def _deliver(job: Job, first: Progress, tried: list[int]) -> None:
    """Commit the notification; `tried`: how many commits there were before an attempt whose answer was lost."""
    events = list(job.new_connector().skipped_notification(first))
    if not events:
        return
    records = job.new_pipeline().records(events, interleaved=False)
    with closing(job.new_sink()) as sink:
        opened = sink.open(0)
        if opened.progress is None:  # it was there when the run claimed the sink; without it nothing can be committed
            return
        if not tried or tried[-1] == opened.commits:
            tried.append(opened.commits)
            sink.write(records)
            sink.commit(opened.progress, ())
