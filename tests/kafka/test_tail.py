"""Reading the newest record, or all, of a partition: what counts, what does not, and what is waited for."""

import pytest
from confluent_kafka import Producer

from support.unit_settings import unit_settings
from tailrace.errors import ProgressError, RetriableError
from tailrace.kafka.options import sink_clients
from tailrace.kafka.tail import Tail

pytestmark = pytest.mark.kafka


@pytest.fixture
def new_tail(kafka_broker):
    opened = []

    def make(**options):
        opened.append(Tail(sink_clients(kafka_broker.address, unit_settings()).consumer, **options))
        return opened[-1]

    yield make
    for tail in opened:
        tail.close()


@pytest.fixture
def transactional(kafka_broker, topic):
    producer = Producer({"bootstrap.servers": kafka_broker.address, "transactional.id": topic, "linger.ms": 0})
    producer.init_transactions(30)
    return producer


def put(producer, topic, *values):
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, key=b"k", value=value, partition=0)
    assert producer.flush(30) == 0


def commit(producer, topic, *values):
    put(producer, topic, *values)
    producer.commit_transaction(30)


def test_an_empty_partition_has_no_newest_record(new_tail, topic):
    assert new_tail().newest(topic, 0) is None
    assert new_tail().newest(topic, 0, settled=True) is None
    assert new_tail().everything(topic, 0) == []


def test_the_newest_committed_record_is_found(new_tail, topic, transactional):
    tail = new_tail()
    for n in range(3):
        commit(transactional, topic, b"%d" % n, b"%d" % (n + 1))
        assert tail.newest(topic, 0, settled=True).value == b"%d" % (n + 1)
        assert tail.newest(topic, 0).value == b"%d" % (n + 1)
    assert [entry.value for entry in tail.everything(topic, 0)] == [b"0", b"1", b"1", b"2", b"2", b"3"]


def test_aborted_records_and_markers_are_passed_over(new_tail, topic, transactional):
    commit(transactional, topic, b"counts")
    for _ in range(60):
        put(transactional, topic, *[b"aborted"] * 10)
        transactional.abort_transaction(30)
    assert new_tail().newest(topic, 0, settled=True).value == b"counts"
    assert len(new_tail().everything(topic, 0, settled=True)) == 1


def test_a_partition_with_nothing_but_aborted_records_has_none(new_tail, topic, transactional):
    put(transactional, topic, *[b"aborted"] * 100)
    transactional.abort_transaction(30)
    assert new_tail().newest(topic, 0) is None


def test_an_open_transaction_is_not_seen_and_holds_up_only_who_wants_a_settled_answer(new_tail, topic, transactional):
    commit(transactional, topic, b"old")
    assert new_tail().newest(topic, 0, settled=True).value == b"old"
    put(transactional, topic, b"open")
    assert new_tail().newest(topic, 0).value == b"old"
    with pytest.raises(RetriableError, match=f"partition 0 of the topic {topic} is held up by a transaction"):
        new_tail(timeout=0.3).newest(topic, 0, settled=True)
    transactional.commit_transaction(30)
    assert new_tail().newest(topic, 0, settled=True).value == b"open"


def test_a_tombstone_is_a_record(new_tail, topic, transactional):
    commit(transactional, topic, b"old", None)
    assert new_tail().newest(topic, 0, settled=True).value is None


def test_a_topic_that_is_not_there_is_complained_about(new_tail):
    with pytest.raises(ProgressError, match="partition 0 of the topic no-such can't be read: it is not there"):
        new_tail(timeout=0.5).newest("no-such", 0)


def test_brokers_that_do_not_answer_are_worth_another_attempt():
    tail = Tail(sink_clients("127.0.0.1:1", unit_settings()).consumer, timeout=0.3)
    with pytest.raises(RetriableError):
        tail.newest("any", 0)
    with pytest.raises(RetriableError):
        tail.topics(["any"])
    tail.close()
