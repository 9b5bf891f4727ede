"""Commits that take longer than the sink allows: tried again, and given up with what to set."""

import pytest
from attrs import evolve

from support.counting_log import SETTINGS, counting_job, records_of
from support.kafka_sinks import Place, eventually
from tailrace.cli.exit_codes import exit_code_for
from tailrace.connectors.base import Lane, LogBatch, Progress
from tailrace.errors import ConfigError, RetriableError, SinkLostError, TransactionTooLongError
from tailrace.kafka.tail import Tail
from tailrace.source.job import Job, Pace
from tailrace.source.slices import Turn
from tailrace.source.task import deliver
from tailrace.source.transaction_timeouts import ATTEMPTS, TransactionTimeouts

SNAPSHOT = Turn(Lane(), True, "", None, snapshot=True)


def batch(topic="t", *, is_open=False):
    return LogBatch([], Progress("1", {}), is_open=is_open), [records_of(topic, [1])]


def ended():
    error = TransactionTooLongError("it took longer than allowed")
    error.remedy = "allow more"
    return error


def lost(seen, *batches):
    for each in batches:
        seen.begins(*each)
    seen.lost(ended())


def test_a_section_that_was_ended_once_is_tried_again_and_the_second_time_stops():
    seen = TransactionTimeouts()
    lost(seen, batch(), batch("keyless", is_open=True))
    seen.begins(*batch("keyless", is_open=True))
    with pytest.raises(
        ConfigError, match=r"records of keyless, after \d+ s.*2 times in a row.*without a key.*: allow more"
    ):
        seen.lost(ended())


def test_commits_of_the_log_in_between_do_not_make_a_section_shorter():
    seen = TransactionTimeouts()
    lost(seen, batch(is_open=True))
    seen.begins(*batch())
    seen.committed()
    with pytest.raises(ConfigError):
        lost(seen, batch(is_open=True))


def test_a_section_that_got_through_was_an_accident():
    seen = TransactionTimeouts()
    lost(seen, batch(is_open=True))
    seen.begins(*batch(is_open=True))
    seen.begins(*batch())
    seen.committed()
    lost(seen, batch(is_open=True))


def test_other_losses_do_not_count():
    seen = TransactionTimeouts()
    for _ in range(10):
        seen.begins(*batch(is_open=True))
        seen.lost(SinkLostError("the broker died"))
        seen.begins(*batch(is_open=True))
        seen.lost(RetriableError("the broker is away"))


def test_commits_that_are_not_of_a_section_are_tried_more_often():
    seen = TransactionTimeouts()
    for _ in range(ATTEMPTS - 1):
        lost(seen, batch())
    seen.committed()
    for _ in range(ATTEMPTS - 1):
        lost(seen, batch())
    with pytest.raises(ConfigError, match="5 times in a row"):
        lost(seen, batch())


class ShortSink:
    """Ends what is open when a record of a section comes, as brokers do whose time is up."""

    def __init__(self, sink, ends):
        self._sink, self._ends = sink, ends

    def __getattr__(self, name):
        return getattr(self._sink, name)

    def write(self, records):
        if self._ends and any(item.topic == "count.rows" for item in records):
            self._ends.pop()
            raise ended()
        return self._sink.write(records)


@pytest.mark.parametrize(("times", "stops"), [(1, False), (2, True)])
def test_a_task_gives_up_a_snapshot_that_does_not_fit_with_the_documented_code(tmp_path, monkeypatch, times, stops):
    job = counting_job(tmp_path, 10, pace=Pace(retry_seconds=0.01), document={"rows": 100, "whole": True, "block": 20})
    with_snapshot = evolve(job, snapshot_lanes=1)
    point = with_snapshot.new_connector().start_point(1)
    with_snapshot.new_sink().replace_progress(point.progress, point.history)
    ends, new_sink = [None] * times, Job.new_sink
    monkeypatch.setattr(Job, "new_sink", lambda self: ShortSink(new_sink(self), ends))
    if not stops:
        assert deliver(with_snapshot, SNAPSHOT).records == 100
        return
    with pytest.raises(ConfigError, match=r"count\.rows.*allow more") as raised:
        deliver(with_snapshot, SNAPSHOT)
    assert exit_code_for(raised.value) == 2


class KeylessTable:
    """A snapshot of a table without a key that is read more slowly than the brokers wait for."""

    settings = SETTINGS

    def __init__(self, place):
        self._place = place
        self.readings = 0

    def snapshot(self, lane, progress, history, others, new_events):
        self.readings += 1
        yield LogBatch(self._place.events([self.readings]), progress, is_open=True)
        eventually(lambda: len(self._place.ids(committed=False)), self.readings)
        wait_for_the_brokers(self._place)
        yield LogBatch(self._place.events([0]), progress, is_open=True)
        yield LogBatch([], Progress(progress.delivered, progress.restart, {"lanes": 1, "done": True}), at_head=True)


def wait_for_the_brokers(place):
    """Until they have ended the transaction that is open in the topic."""
    tail = Tail({"bootstrap.servers": place.address, "group.id": "any"}, timeout=60)
    tail.everything(place.topic(), 0, settled=True)
    tail.close()


@pytest.mark.kafka
def test_brokers_that_end_a_keyless_tables_transaction_stop_it_with_the_property_to_set(kafka_broker, monkeypatch):
    place = Place(kafka_broker.address, producer__override__transaction__timeout__ms="1000")
    place.claimed()
    place.sink().replace_progress(Progress("", {"n": 0}, {"lanes": 1}), [])
    table = KeylessTable(place)
    monkeypatch.setattr(Job, "new_sink", lambda _: place.sink())
    monkeypatch.setattr(Job, "new_connector", lambda _: table)
    job = Job(document={}, source="mysql shop", target="kafka:x", pace=Pace(retry_seconds=0.01), run="run")
    with pytest.raises(ConfigError) as raised:
        deliver(job, SNAPSHOT)
    for words in ("producer.override.transaction.timeout.ms", "is 1000", "transaction.max.timeout.ms", place.topic()):
        assert words in str(raised.value)
    assert exit_code_for(raised.value) == 2
    assert table.readings == 2
    place.sees([])
    place.close()
