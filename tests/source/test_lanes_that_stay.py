"""Why the lanes stay as many as they are, as a run tells it."""

from tailrace.connectors.base import Progress
from tailrace.sinks.base import Claim
from tailrace.source import run
from tailrace.source.job import Job

JOB = Job(document={}, source="mysql shop", target="kafka:k:9092", lanes=4)


def told(*signalled):
    return run._unchanged(JOB, Claim(tuple(Progress("1", {"n": 1}, signalled=each) for each in signalled)))


def test_lanes_that_stand_apart_are_a_fault_to_report():
    assert told(None, {"tables": [{"table": '"db"."a"'}]}) == (
        "the 2 lanes of kafka:k:9092 stand at different positions, so that there can't be 4: set tasks.max back to 2, and "
        "report this"
    )


def test_a_blocking_snapshot_has_to_end_first():
    begun = {"blocking": {"tables": [{"table": '"db"."a"'}], "state": {"n": 1}}}
    assert told(None, begun) == (
        "the 2 lanes of kafka:k:9092 are reading a blocking snapshot, which has to end before there can be 4: run with "
        "tasks.max=2 until its last rows are delivered, then change it"
    )
