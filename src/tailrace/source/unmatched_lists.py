"""Warnings about lists that match nothing, at the start of a run with progress; a first run refuses to start."""

from __future__ import annotations

from collections.abc import Callable

from tailrace.errors import TailraceError
from tailrace.sinks.base import Claim
from tailrace.source.job import Job


def warn(job: Job, claim: Claim, notice: Callable[[str], None]) -> None:
    """Have the connector check, once per run; if it can't, the run itself will report why."""
    if not any(claim.progress):
        return
    try:
        job.new_connector().warn_of_lists()
    except TailraceError as error:
        notice(f"the configuration's lists were not compared with the tables that there are: {error}")
