"""Claiming lanes: layouts, barriers, hanging transactions, tasks that come in between."""

import json
from dataclasses import replace

import pytest

from support.kafka_sinks import Place, eventually, progress
from tailrace.connectors.base import Lane
from tailrace.errors import FencedError, ProgressError, SinkLostError
from tailrace.sinks.kafka import claiming
from tailrace.sinks.kafka.progress import ProgressRecord

pytestmark = pytest.mark.kafka


@pytest.fixture
def place(kafka_broker):
    place = Place(kafka_broker.address)
    yield place
    place.close()


def commit(place, lane, n, history=(), run="run"):
    sink = place.opened(lane, run)
    sink.commit(progress(n), list(history))
    sink.close()


def lanes_recorded(place):
    newest = {json.loads(read.key)["lane"]: read.value for read in place.read_own("progress")}
    return {lane: json.loads(value)["lanes"] for lane, value in newest.items() if value is not None}


def test_the_first_claim_makes_as_many_lanes_as_are_wanted(place):
    claim = place.claimed(3)
    assert claim.progress == (None, None, None)
    eventually(lambda: lanes_recorded(place), {0: 3, 1: 3, 2: 3})


def test_a_claim_tells_how_far_each_lane_came(place):
    place.claimed(2)
    commit(place, 0, 5)
    commit(place, 1, 7)
    assert place.claimed(2, run="next").progress == (progress(5), progress(7))


def test_lanes_without_progress_can_be_changed(place):
    place.claimed(2)
    assert place.claimed(4, run="next").lanes == 4
    assert place.claimed(1, run="last").lanes == 1


def test_the_layout_follows_at_a_barrier_with_the_history(place):
    history = [{"ddl": "a"}, {"ddl": "b"}]
    place.claimed(1, run="r1")
    commit(place, 0, 1, history, run="r1")
    for step, lanes in enumerate([2, 4, 1, 3]):
        run = f"step {step}"
        assert place.claimed(lanes, run=run).progress == (progress(step + 1),) * lanes
        eventually(lambda: lanes_recorded(place), dict.fromkeys(range(lanes), lanes))
        for lane in range(lanes):
            opened = place.sink(run)
            assert list(opened.open(lane).history) == history
            opened.commit(progress(step + 2), [{"ddl": f"in {run}"}])
            opened.close()
        history = [*history, {"ddl": f"in {run}"}]


def test_the_layout_stays_while_lanes_stand_apart(place):
    place.claimed(2)
    commit(place, 0, 5)
    commit(place, 1, 4)
    claim = place.claimed(4, run="next")
    assert claim.progress == (progress(5), progress(4))
    eventually(lambda: lanes_recorded(place), {0: 2, 1: 2})
    commit(place, 1, 5, run="next")
    assert place.claimed(4, run="last").progress == (progress(5),) * 4


def asked(*tables, **more):
    return {"tables": [{"table": f'"db"."{name}"'} for name in tables], **more}


def table_of(place, lane, lanes=2):
    """The name of a table whose topic a lane has."""
    return next(name for name in "abcdefgh" if Lane(lane, lanes).owns(f"{place.prefix}.db.{name}"))


def commit_asked(place, *asked_of_lanes):
    for lane, signalled in enumerate(asked_of_lanes):
        sink = place.opened(lane)
        sink.commit(replace(progress(1), signalled=signalled), [])
        sink.close()


def test_what_signals_asked_of_any_lane_is_handed_to_all_of_a_new_layout(place):
    place.claimed(2)
    a, b = (table_of(place, lane) for lane in range(2))
    commit_asked(place, asked(a, marks={"kafka": 7}), asked(b, paused=True, marks={"kafka": 5}))
    together = asked(a, b, paused=True, marks={"kafka": 5})
    assert place.claimed(3, run="next").progress == (replace(progress(1), signalled=together),) * 3
    assert place.sink("next").open(2).progress.signalled == together


def test_what_a_lane_was_handed_and_does_not_deliver_does_not_come_back(place):
    """A lane of a layout that has not come to work yet still has the tables of all, also those that others are done with."""
    place.claimed(2)
    a, b = (table_of(place, lane) for lane in range(2))
    handed = asked(a, b, blocking={"tables": [{"table": f'"db"."{name}"'} for name in (a, b)], "structures": [a]})
    commit_asked(place, asked(), handed)
    left = asked(b, blocking={"tables": [{"table": f'"db"."{b}"'}]})
    assert place.claimed(3, run="next").progress == (replace(progress(1), signalled=left),) * 3


def test_the_layout_stays_while_a_lane_is_within_a_blocking_snapshot(place):
    place.claimed(2)
    blocking = {"blocking": {"tables": [{"table": '"db"."a"'}], "state": {"n": 1}}}
    for lane, signalled in enumerate([None, blocking]):
        sink = place.opened(lane)
        sink.commit(replace(progress(1), signalled=signalled), [])
        sink.close()
    claim = place.claimed(1, run="next")
    assert [each.signalled for each in claim.progress] == [None, blocking]


def test_more_lanes_than_the_topics_have_partitions(place):
    place.claimed(1)
    commit(place, 0, 1, [{"ddl": "a"}])
    assert place.claimed(10, run="next").lanes == 10
    assert list(place.sink("next").open(9).history) == [{"ddl": "a"}]


def test_a_lane_that_is_no_more_can_not_be_opened(place):
    place.claimed(2)
    place.claimed(1)
    with pytest.raises(ProgressError, match=r"there is no lane 1: .* there are 1"):
        place.sink().open(1)


def test_peeking_at_a_lane_that_there_is_not_shows_nothing(place):
    place.claimed(2)
    commit(place, 0, 1)
    commit(place, 1, 1)
    eventually(lambda: [place.sink().peek(lane) for lane in (0, 1, 2, 99)], [progress(1), progress(1), None, None])
    place.claimed(1)
    eventually(lambda: place.sink().peek(1), None)


def test_a_task_of_an_earlier_run_refuses_a_lane_that_is_no_more(place):
    place.claimed(2, run="one")
    place.claimed(1, run="two")
    with pytest.raises(FencedError, match="another run"):
        place.sink("one").open(1)


@pytest.mark.parametrize("lane", [0, 1])
def test_a_claim_ends_a_transaction_that_keeps_readers_waiting(place, lane):
    place.claimed(2)
    sink = place.opened(0)
    sink.write(place.records([1]))
    sink.commit(progress(1), [])
    zombie = place.zombie(lane)
    after = place.opened(1 - lane)
    after.write(place.records([2]))
    after.commit(progress(2), [])
    assert len(place.ids()) < 3
    place.claimed(2, run="next")
    place.sees([1, 2])
    with pytest.raises(Exception, match="fenced"):
        zombie.commit_transaction(30)


def test_a_claim_begins_again_when_a_task_takes_a_lane_in_between(place, monkeypatch):
    place.claimed(2, run="old")
    task = place.sink("old")
    laid = []
    true_recorded = claiming.Claiming._marked

    def marked(self, lane, writer, routing):
        if lane == 1 and not laid:
            laid.append(task.open(1))  # an attempt of the old run, after the new one has fenced its lane
        return true_recorded(self, lane, writer, routing)

    monkeypatch.setattr(claiming.Claiming, "_marked", marked)
    place.claimed(2, run="new")
    assert laid
    task.write(place.records([1]))
    with pytest.raises(FencedError, match="another run"):
        task.commit(progress(1), [])
    assert place.sink("new").open(1).progress is None


def test_what_a_late_task_of_the_old_run_delivers_before_the_claim_is_through_counts(place, monkeypatch):
    """The dangerous moment: a task takes lane 1 after the claim has read it, and delivers, before it is marked."""
    place.claimed(2, run="old")
    true_store = claiming.Ledger.store
    delivered = []

    def store(self, writer, lane, record):
        if lane == 1 and record.owner.run == "new" and not delivered:
            delivered.append(place.opened(1, "old"))
            delivered[0].write(place.records([1]))
            delivered[0].commit(progress(1), [])
        true_store(self, writer, lane, record)

    monkeypatch.setattr(claiming.Ledger, "store", store)
    assert place.claimed(2, run="new").progress == (None, progress(1))
    place.sees([1])


def test_a_claim_that_was_fenced_asks_before_it_begins_again_and_so_leaves_the_run_that_came_in_between_alone(
    place, monkeypatch
):
    """A run stands still while it claims, another one takes over, and the first one wakes."""
    place.claimed(2, run="old")
    marked, others, asked = claiming.Claiming._marked, [], []

    def after_another(self, lane, writer, routing):
        if self._owner.run == "slow" and not others:
            place.claimed(2, run="new")
            others.append(place.opened(0, "new"))
        return marked(self, lane, writer, routing)

    def confirm():
        asked.append(len(others))
        if others:
            raise FencedError("another run has the lease")

    monkeypatch.setattr(claiming.Claiming, "_marked", after_another)
    with pytest.raises(FencedError, match="has the lease"):
        place.sink("slow").claim(2, confirm)
    assert asked == [0, 0, 1]
    others[0].write(place.records([1]))
    others[0].commit(progress(1), [])
    place.sees([1])


def test_a_claim_that_was_about_to_fence_signs_nothing_and_the_task_that_it_fenced_opens_its_lane_again(place):
    place.claimed(2, run="old")
    others = []

    def confirm():
        if others:
            raise FencedError("another run has the lease")
        place.claimed(2, run="new")
        others.append(place.opened(1, "new"))
        others[0].write(place.records([1]))

    with pytest.raises(FencedError, match="has the lease"):
        place.sink("slow").claim(1, confirm)
    with pytest.raises(SinkLostError, match="have ended a transaction"):
        others[0].commit(progress(1), [])
    again = place.opened(1, "new")
    again.write(place.records([1]))
    again.commit(progress(1), [])
    place.sees([1])
    eventually(lambda: lanes_recorded(place), {0: 2, 1: 2})


def test_a_claim_over_a_claim(place):
    place.claimed(2, run="one")
    place.claimed(2, run="two")
    place.claimed(2, run="one")
    place.opened(1, run="one").commit(progress(1), [])
    with pytest.raises(FencedError, match="another run"):
        place.sink("two").open(1)


def test_lanes_that_lost_their_records_stop_the_claim(place):
    place.claimed(2)
    place.put(place.own("progress"), b'{"lane": 1}', None, partition=1)
    with pytest.raises(ProgressError, match="lane 1 has no progress record"):
        place.claimed(2)


def routed(place, delimiter, lanes=2, run="run"):
    return place.claimed(lanes, run=run, topic__delimiter=delimiter)


def routings_recorded(place):
    newest = {json.loads(read.key)["lane"]: read.value for read in place.read_own("progress")}
    return {lane: json.loads(value)["routing"] for lane, value in newest.items() if value is not None}


def test_the_routing_is_stored_and_stays_while_lanes_stand_apart(place):
    old, new = ({"delimiter": each, "names_database": True} for each in "._")
    assert routed(place, ".").routing is None
    eventually(lambda: routings_recorded(place), {0: old, 1: old})
    commit(place, 0, 5)
    commit(place, 1, 4)
    for run, lanes in (("next", 2), ("again", 4)):
        claim = routed(place, "_", lanes, run)
        assert (claim.routing, claim.progress) == (old, (progress(5), progress(4)))
        eventually(lambda: routings_recorded(place), {0: old, 1: old})
    assert place.sink("again", topic__delimiter="_").recorded() == claim
    assert routed(place, ".", run="back").routing is None
    commit(place, 1, 5, run="back")
    assert routed(place, "_", run="last").routing is None
    eventually(lambda: routings_recorded(place), {0: new, 1: new})


def test_where_lanes_stand_together_a_new_routing_hands_on_what_signals_asked_for(place):
    routed(place, ".")
    a, b = (table_of(place, lane) for lane in range(2))
    commit_asked(place, asked(a), asked(b))
    assert routed(place, "_", run="next").progress == (replace(progress(1), signalled=asked(a, b)),) * 2


def test_a_record_without_a_routing_gets_the_configured_one_at_the_claim(place, monkeypatch):
    to_json = ProgressRecord.to_json
    with monkeypatch.context() as earlier:
        earlier.setattr(ProgressRecord, "to_json", lambda record: without(to_json(record), "routing"))
        place.claimed(2)
        commit(place, 0, 5)
        commit(place, 1, 4)
        assert all(b"routing" not in read.value for read in place.read_own("progress"))
    assert routed(place, "_", run="next").routing is None
    assert routed(place, ".", run="last").routing == {"delimiter": "_", "names_database": True}


def without(value, name):
    return json.dumps({key: each for key, each in json.loads(value).items() if key != name}).encode()


def test_beginning_anew_takes_the_configured_routing(place):
    routed(place, ".")
    commit(place, 0, 5)
    commit(place, 1, 4)
    routed(place, "_", run="next")
    sink = place.sink("next", topic__delimiter="_")
    assert sink.replace_progress(progress(9), []).routing is None
    assert routed(place, "_", 1, "next").routing is None
