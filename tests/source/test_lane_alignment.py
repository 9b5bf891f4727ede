"""How lanes that stand apart come to one position: what is decided and told, without Spark and without a sink."""

import pytest

from support.counting_log import counting_job, grow
from tailrace.connectors.base import Progress
from tailrace.sinks.base import Claim
from tailrace.source import lane_alignment
from tailrace.source.job import Job

JOB = Job(document={}, source="mysql shop", target="kafka:k:9092", lanes=4)
OLD = {"delimiter": "_"}


def at(n, **more):
    return Progress(f"{n:012d}", {"n": n}, **more)


def unchanged(*signalled):
    return lane_alignment.unchanged_notice(JOB, Claim(tuple(at(1, signalled=each) for each in signalled)))


def ask(question):
    return question()


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        (Claim((at(1),) * 4), False),
        (Claim((at(1), at(2), at(1), at(1))), False),
        (Claim((at(1),) * 2), True),
        (Claim((at(1),) * 4, OLD), True),
    ],
    ids=["as they are", "as they are, apart", "another number", "another routing"],
)
def test_lanes_come_together_where_they_are_to_be_dealt_out_otherwise(claim, wanted):
    assert lane_alignment.is_needed(JOB, claim) == wanted


def test_they_read_up_to_the_nearest_boundary_for_all_as_many_as_there_are_under_the_old_names(tmp_path):
    job = counting_job(tmp_path, 7000, lanes=4)
    meeting = lane_alignment.to_one_position(job, Claim((at(3), at(699)), OLD), ask)
    assert (meeting.lanes, meeting.routing, meeting.until) == (2, OLD, {"n": 700})
    grow(tmp_path / "log", 8000)
    assert lane_alignment.to_one_position(job, Claim((at(3), at(700)), OLD), ask).until == {"n": 707}


@pytest.mark.parametrize(("lanes", "options"), [((at(3), None), {}), ((at(3), at(4)), {"nearest": False})])
def test_where_no_boundary_is_known_or_the_nearest_did_not_do_they_read_to_the_head(tmp_path, lanes, options):
    meeting = lane_alignment.to_one_position(counting_job(tmp_path, 7000, lanes=4), Claim(lanes), ask, **options)
    assert (meeting.lanes, meeting.until) == (2, None)


def test_a_person_is_told_under_which_names():
    assert (
        lane_alignment.alignment_notice(JOB, Claim((at(1),) * 2))
        == "2 lanes to one position, to go on with 4 lanes from there"
    )
    assert lane_alignment.alignment_notice(JOB, Claim((at(1),) * 4, OLD)) == (
        "4 lanes to one position under the topic names of before, to go on with 4 lanes and the names of this configuration "
        "from there"
    )


def test_lanes_that_stand_apart_after_all_are_a_fault_to_report():
    assert unchanged(None, {"tables": [{"table": '"db"."a"'}]}) == (
        "the 2 lanes of kafka:k:9092 stand at different positions, though all have read to one end, so that tasks.max or topic "
        "names can't change: set them back (tasks.max=2), and report this"
    )


def test_a_blocking_snapshot_has_to_end_first():
    begun = {"blocking": {"tables": [{"table": '"db"."a"'}], "state": {"n": 1}}}
    assert unchanged(None, begun) == (
        "the 2 lanes of kafka:k:9092 are reading a blocking snapshot, which has to end before tasks.max or topic names can "
        "change: set them back (tasks.max=2) until its last rows are delivered"
    )


@pytest.mark.parametrize(
    ("lanes", "is_at_one"),
    [
        ([at(1)], True),
        ([None], True),
        ([None, None], True),
        ([at(1), None], False),
        ([at(1), at(2)], False),
        ([at(1), at(1, signalled={"marks": {"kafka": 1}})], True),
        ([at(1, snapshot={"lanes": 2, "done": True, "figures": {}}), at(1, snapshot={"lanes": 2, "done": True})], True),
        ([at(1, snapshot={"lanes": 2, "done": True}), at(1, snapshot={"lanes": 2, "rest": 7})], False),
    ],
)
def test_lanes_are_at_one_position_where_they_have_delivered_the_same(lanes, is_at_one):
    assert Claim(tuple(lanes)).is_at_one_position == is_at_one
