"""Beginning anew in Kafka: one lane with a new progress and history in place of all lanes, at once or not at all."""

import json

import pytest

from support.kafka_sinks import Place, eventually, progress
from tailrace import failpoints
from tailrace.connectors.base import Progress
from tailrace.errors import FencedError, SinkLostError

pytestmark = pytest.mark.kafka
ANEW = Progress("00000900", {"n": 900}, {"lanes": 3})
NEW = [{"ddl": "x"}, {"ddl": "y"}]


@pytest.fixture(params=["exactly-once", "at-least-once"])
def place(request, kafka_broker):
    place = Place(kafka_broker.address, tailrace__delivery__guarantee=request.param)
    place.claimed(1, run="r1")
    commit(place, 0, 1, [{"ddl": "a"}, {"ddl": "b"}, {"ddl": "c"}], "r1")
    place.claimed(2, run="r2")
    commit(place, 0, 5, [{"ddl": "d"}], "r2")  # the lanes stand apart
    yield place
    place.close()


@pytest.fixture
def armed(monkeypatch):
    def arm(text):
        monkeypatch.setenv(failpoints.VARIABLE, text)
        monkeypatch.setattr(failpoints, "_armed", None)
        failpoints._met.clear()

    yield arm
    monkeypatch.setattr(failpoints, "_armed", None)


def commit(place, lane, n, history, run):
    sink = place.opened(lane, run)
    sink.commit(progress(n), history)
    sink.close()


def begun(place, run="r3", progress=ANEW):
    sink = place.sink(run)
    try:
        return sink.replace_progress(progress, NEW)
    finally:
        sink.close()


def lanes_recorded(place):
    newest = {json.loads(read.key)["lane"]: read.value for read in place.read_own("progress")}
    return {lane: json.loads(value)["lanes"] for lane, value in newest.items() if value is not None}


def test_one_lane_goes_on_from_the_new_beginning_and_more_follow(place):
    place.claimed(1, run="r3")
    assert begun(place).progress == (ANEW,)
    eventually(lambda: lanes_recorded(place), {0: 1})
    assert place.sink("r3").peek(1) is None
    assert place.claimed(3, run="r4").progress == (ANEW,) * 3
    for lane in (2, 0):
        opened = place.sink("r4").open(lane)
        assert opened.progress == ANEW
        assert list(opened.history) == NEW
    commit(place, 1, 901, [{"ddl": "z"}], "r4")
    assert list(place.sink("r4").open(1).history) == [*NEW, {"ddl": "z"}]


def test_it_may_be_said_again_where_the_answer_was_lost(place, armed):
    place.claimed(1, run="r3")
    armed("sink.after-anew=error@1")
    with pytest.raises(SinkLostError):
        begun(place)
    assert begun(place).progress == (ANEW,)
    assert list(place.sink("r3").open(0).history) == NEW


@pytest.mark.parametrize("place", ["exactly-once"], indirect=True)
def test_before_the_commit_nothing_has_changed(place, armed):
    place.claimed(1, run="r3")
    armed("sink.before-anew=error@1")
    with pytest.raises(SinkLostError):
        begun(place)
    assert place.claimed(1, run="r4").progress == (progress(5), progress(1))
    assert [record["ddl"] for record in place.sink("r4").open(0).history] == ["a", "b", "c", "d"]


def test_another_run_that_has_claimed_the_lanes_is_left_alone(place):
    place.claimed(1, run="r3")
    place.claimed(1, run="r4")
    with pytest.raises(FencedError, match="another run"):
        begun(place, "r3")
    assert place.claimed(1, run="r5").progress == (progress(5), progress(1))


@pytest.mark.parametrize("place", ["exactly-once"], indirect=True)
@pytest.mark.parametrize("question", [1, 2])
def test_one_that_stood_still_at_any_moment_replaces_nothing_of_the_run_that_took_over(place, question):
    """Between the first question and its fencing, and between the second one and its commit."""
    place.claimed(1, run="r3")
    asked = []

    def confirm():
        asked.append(1)
        if len(asked) == question:
            place.claimed(2, run="r4")

    with pytest.raises(FencedError, match="another run"):
        place.sink("r3").replace_progress(ANEW, NEW, confirm)
    assert len(asked) == question
    commit(place, 0, 6, [], "r4")
    assert place.claimed(1, run="r5").progress == (progress(6), progress(1))


def test_a_target_without_progress_can_begin_so_too(kafka_broker):
    place = Place(kafka_broker.address)
    place.claimed(1)
    assert begun(place, "run").progress == (ANEW,)
    assert list(place.sink().open(0).history) == NEW
    place.close()
