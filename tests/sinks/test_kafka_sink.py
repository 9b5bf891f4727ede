"""The Kafka sink: what a read-committed consumer sees, and what the next task finds."""

import json
import threading
from dataclasses import replace

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic

from support.kafka_sinks import Place, eventually, progress
from tailrace.errors import ConfigError, DeliveryError, FencedError, ProgressError, SinkLostError
from tailrace.sinks.kafka.sink import KafkaSink

pytestmark = pytest.mark.kafka


@pytest.fixture
def place(kafka_broker):
    place = Place(kafka_broker.address)
    yield place
    place.close()


def test_nothing_is_seen_before_the_commit_and_everything_after(place):
    sink = place.opened()
    assert sink.write(place.records([1, 2])) > 0
    place.sees([])
    sink.commit(progress(2), [])
    place.sees([1, 2])


@pytest.mark.parametrize("kept", ["progress", "history", "lease"])
def test_a_record_that_is_routed_to_where_progress_is_kept_is_refused_and_what_comes_then_is_not(place, kept):
    sink = place.opened()
    sink.commit(progress(1), [{"ddl": "a"}])
    forged = [replace(each, topic=getattr(sink._names, kept)) for each in place.records([1])]
    with pytest.raises(DeliveryError, match=f"{getattr(sink._names, kept)}, in which tailrace keeps its progress"):
        sink.write(forged)
    sink.write(place.records([2]))
    sink.commit(progress(2), [])
    sink.close()
    assert place.sink().open(0).progress == progress(2)
    place.sees([2])


def test_the_next_task_gets_progress_and_history(place):
    sink = place.opened()
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.commit(progress(2), [{"ddl": "ü"}])
    sink.close()
    opened = place.sink().open(0)
    assert opened.progress == progress(2)
    assert opened.history == [{"ddl": "a"}, {"ddl": "ü"}]


def test_a_lane_that_nobody_had_is_empty(place):
    opened = place.sink().open(0)
    assert opened.progress is None
    assert list(opened.history) == []


def test_the_progress_record_can_be_read_by_a_person(place):
    sink = place.opened()
    sink.write(place.records([1]))
    sink.commit(progress(7), [{"ddl": "a"}])
    eventually(lambda: json.loads(place.read_own("progress")[-1].value)["number"], 1)
    last = place.read_own("progress")[-1]
    value = json.loads(last.value)
    assert json.loads(last.key) == {"lane": 0}
    assert value["source"] == "mysql shop"
    assert value["delivered"] == "00007"
    assert value["restart"] == {"n": 7}
    assert (value["format"], value["lanes"], value["number"], value["history"]) == (1, 1, 1, 1)
    assert {"run", "host", "pid", "committed_at_ms"} <= value.keys()


def test_peeking_disturbs_nobody_and_sees_each_commit(place):
    assert place.sink().peek(0) is None
    sink, planner = place.opened(), place.sink()
    assert planner.peek(0) is None
    for n in range(3):
        sink.write(place.records([n]))
        assert planner.peek(0) == (progress(n - 1) if n else None)
        sink.commit(progress(n), [{"n": n}])
        eventually(lambda: planner.peek(0), progress(n))
        assert planner.peek_history(0) == [{"n": each} for each in range(n + 1)]


def test_closing_drops_what_was_not_committed(place):
    sink = place.opened()
    sink.commit(progress(1), [])
    sink.write(place.records([1]))
    sink.close()
    place.sees([])
    assert place.sink().open(0).progress == progress(1)


def test_records_of_many_topics_are_seen_at_once(place):
    sink = place.opened()
    for name in "abc":
        sink.write(place.records(range(1000), name))
    for name in "abc":
        place.sees([], name)
    sink.commit(progress(1), [])
    for name in "abc":
        place.sees(range(1000), name)


def test_the_progress_is_found_behind_thousands_of_aborted_transactions(place):
    sink = place.opened()
    sink.commit(progress(5), [])
    sink.close()
    noise = Producer({"bootstrap.servers": place.address, "transactional.id": f"{place.prefix}-noise", "linger.ms": 0})
    noise.init_transactions(30)
    for _ in range(500):
        noise.begin_transaction()
        for _ in range(10):
            noise.produce(place.own("progress"), key=b"x", value=b"y", partition=0)
        noise.flush(30)
        noise.abort_transaction(30)
    assert place.sink().peek(0) == progress(5)
    assert place.sink().open(0).progress == progress(5)


def test_a_task_whose_lane_was_taken_can_commit_nothing(place):
    stale = place.opened()
    stale.commit(progress(1), [])
    stale.write(place.records([1]))
    fresh = place.opened()
    with pytest.raises(FencedError, match=r"lane 0 \(tailrace-t-\w+-0\) was taken over by process \d+ on"):
        stale.commit(progress(2), [{"ddl": "stale"}])
    assert stale.superseded_by_same_run()
    fresh.write(place.records([2]))
    fresh.commit(progress(2), [])
    place.sees([2])
    fresh.close()
    assert list(place.sink().open(0).history) == []


def test_a_claim_fences_the_tasks_of_the_run_before_it(place):
    place.claimed(run="one")
    task = place.opened(run="one")
    task.write(place.records([1]))
    place.claimed(run="two")
    with pytest.raises(FencedError, match="another run"):
        task.commit(progress(1), [])
    assert not task.superseded_by_same_run()
    place.sees([])


def test_a_task_of_another_run_refuses_and_disturbs_nobody(place):
    place.claimed(run="one")
    place.claimed(run="two")
    task = place.opened(run="two")
    task.write(place.records([1]))
    late = place.sink(run="one")
    with pytest.raises(FencedError, match="another run"):
        late.open(0)
    assert not late.superseded_by_same_run()
    task.commit(progress(1), [])
    place.sees([1])


def test_a_task_that_the_brokers_gave_up_is_lost_and_not_fenced(place):
    sink = place.opened()
    sink.write(place.records([1]))
    place.zombie(0).abort_transaction(30)  # takes the epoch, as a transaction's end by timeout does, and leaves no name
    with pytest.raises(SinkLostError):
        sink.commit(progress(1), [])


def signing_after(monkeypatch, what):
    """The next task does this between its take-over and its signature."""
    sign = KafkaSink._sign

    def late(sink, last):
        monkeypatch.setattr(KafkaSink, "_sign", sign)
        what()
        sign(sink, last)

    monkeypatch.setattr(KafkaSink, "_sign", late)


def test_a_task_that_is_fenced_before_it_has_signed_by_one_that_signs_nothing_is_lost_and_not_fenced(place, monkeypatch):
    """So does a run that was replaced as it stood still, and wakes within its claim."""
    place.claimed()
    signing_after(monkeypatch, lambda: place.zombie(0).abort_transaction(30))
    with pytest.raises(SinkLostError, match="by one who has not signed it"):
        place.opened()
    again = place.opened()
    again.write(place.records([1]))
    again.commit(progress(1), [])
    place.sees([1])


def test_one_that_another_attempt_has_fenced_which_signs_a_moment_later_leaves_it_the_lane(place, monkeypatch):
    place.claimed()
    attempt, taken, signing = place.sink(), threading.Event(), threading.Event()

    def take_over():
        signing_after(monkeypatch, lambda: (taken.set(), signing.wait(10)))
        threading.Thread(target=attempt.open, args=(0,), daemon=True).start()
        assert taken.wait(30)
        threading.Timer(0.5, signing.set).start()

    signing_after(monkeypatch, take_over)
    with pytest.raises(FencedError, match="was taken over by process"):
        place.opened()
    eventually(lambda: attempt._to_be_signed, None)
    attempt.write(place.records([1]))
    attempt.commit(progress(1), [])
    place.sees([1])


def test_progress_of_another_source_is_refused(place):
    place.opened().commit(progress(1), [])
    with pytest.raises(ProgressError, match="'mysql shop', not of 'mysql bank'"):
        place.sink(source="mysql bank").open(0)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        (b'{"lane": 0}', b"{", "no JSON"),
        (b'{"lane": 0}', b"[]", "no JSON object"),
        (b'{"lane": 0}', b'{"format": 99}', "format 99"),
        (b'{"lane": 0}', b'{"format": 1, "source": "mysql shop"}', "damaged"),
        (b"somebody", b"else", "not ours"),
    ],
)
def test_a_damaged_record_stops_loudly(place, key, value, complaint):
    sink = place.opened()
    sink.commit(progress(1), [])
    sink.close()
    place.put(place.own("progress"), key, value)
    with pytest.raises(ProgressError, match=f"progress record at offset .*{complaint}"):
        place.sink().open(0)


def test_a_topic_of_records_that_was_deleted_is_there_again_at_the_latest_for_the_next_attempt(place):
    """Whether this one finds that out depends on how soon the brokers do what they were asked for."""
    quick = {"producer__override__delivery__timeout__ms": "3000", "producer__override__request__timeout__ms": "1000"}
    sink = place.opened(**quick)
    sink.write(place.records([1]))
    sink.commit(progress(1), [])
    (deleted,) = place.admin.delete_topics([place.topic()]).values()
    deleted.result()
    try:
        sink.write(place.records([2]))
        sink.commit(progress(2), [])
    except SinkLostError:
        again = place.opened(**quick)
        assert again._last.progress == progress(1)
        again.write(place.records([2]))
        again.commit(progress(2), [])
    place.sees([2])


def test_a_progress_topic_that_was_deleted_stops_loudly(place):
    sink = place.opened()
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.close()
    place.admin.delete_topics([place.own("progress")])[place.own("progress")].result()
    with pytest.raises(ProgressError, match="emptied or deleted"):
        place.sink().open(0)
    with pytest.raises(ProgressError, match="emptied or deleted"):
        place.claimed()


def test_a_history_topic_that_was_deleted_stops_loudly(place):
    sink = place.opened()
    sink.commit(progress(1), [{"ddl": "a"}])
    sink.close()
    place.admin.delete_topics([place.own("history")])[place.own("history")].result()
    with pytest.raises(ProgressError, match="lacks 1 of the 1 records"):
        place.sink().open(0)


def test_our_topics_keep_what_counts(place):
    place.claimed()
    configs = configs_of(place, place.own("progress"))
    assert configs["cleanup.policy"] == "compact"
    assert configs_of(place, place.own("history"))["retention.ms"] == "-1"


@pytest.mark.parametrize("kind", ["progress", "history"])
def test_a_topic_that_was_made_to_forget_is_refused_until_the_remedy_is_applied(place, kind):
    name = place.own(kind)
    made = NewTopic(name, 1, config={"cleanup.policy": "delete", "retention.ms": "60000"})
    place.admin.create_topics([made])[name].result()
    with pytest.raises(ConfigError, match=rf"the topic {name} deletes old records \(retention.ms=60000") as refused:
        place.claimed()
    remedy = str(refused.value).rpartition("--add-config ")[2]
    changes = [part.split("=") for part in remedy.split(",")]
    changed = ConfigResource(ConfigResource.Type.TOPIC, name, incremental_configs=[_set(*change) for change in changes])
    place.admin.incremental_alter_configs([changed])[changed].result()
    eventually(lambda: {key: configs_of(place, name)[key] for key, _ in changes}, dict(changes))
    assert place.claimed().lanes == 1


def _set(name, value):
    return ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)


def configs_of(place, topic):
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    found = place.admin.describe_configs([resource])[resource].result()
    return {name: entry.value for name, entry in found.items()}
