"""What a run that goes on tells at its start of lists that name nothing: a first one is refused where it begins."""

from __future__ import annotations

from collections.abc import Callable

from tailrace.errors import TailraceError
from tailrace.sinks.base import Claim
from tailrace.source.job import Job


def tell(job: Job, claim: Claim, notice: Callable[[str], None]) -> None:
    """Have the connector look, once a run; where it can't, the run itself will say why."""
    if not any(claim.progress):
        return
    try:
        job.new_connector().warn_of_lists()
    except TailraceError as error:
        notice(f"the configuration's lists were not compared with the tables that there are: {error}")
