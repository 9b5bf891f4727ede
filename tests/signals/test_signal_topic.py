"""The signal topic, on a real broker: whose signals come, how far they were read, and what trouble does."""

import json
import time
import uuid

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tailrace.signals.kafka_topic import KafkaSignals
from tailrace.signals.model import Channel, ExecuteSnapshot, Log, PauseSnapshot, Unreadable

SECONDS = 20

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module", autouse=True)
def coordinator(kafka_broker):
    """Groups can be asked about: a broker makes what it needs for that when it is first asked."""
    consumer = Consumer({"bootstrap.servers": kafka_broker.address, "group.id": "first"})
    consumer.committed([TopicPartition("any", 0)], timeout=2 * SECONDS)
    consumer.close()


@pytest.fixture
def new_topic(kafka_broker):
    admin = AdminClient({"bootstrap.servers": kafka_broker.address})

    def make(partitions=1):
        name = f"signals-{uuid.uuid4().hex[:8]}"
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(SECONDS)
        return name

    return make


@pytest.fixture
def topic(new_topic):
    return new_topic()


@pytest.fixture
def group():
    return f"kafka-signal-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def channel(kafka_broker, group):
    """Makes channels for the connector `dbz`."""
    opened = []

    def make(topic, next_offset=None, **options):
        given = {"bootstrap.servers": kafka_broker.address, "group.id": group, **options}
        opened.append(KafkaSignals(given, topic, "dbz", next_offset=next_offset))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def put(kafka_broker):
    producer = Producer({"bootstrap.servers": kafka_broker.address, "linger.ms": 0})

    def put(topic, *values, key=b"dbz", partition=0):
        for value in values:
            producer.produce(topic, value, key, partition)
        assert producer.flush(SECONDS) == 0

    return put


def message(id_):
    return json.dumps({"id": str(id_), "type": "pause-snapshot", "data": {}}).encode()


def read_until(channel, enough):
    """What comes until `enough(received)`."""
    received, deadline = [], time.monotonic() + SECONDS
    while not enough(received):
        assert time.monotonic() < deadline, received
        received += channel.read()
    return received


def ids(received):
    return [each.signal.id for each in received]


def test_the_example_of_the_documentation(channel, topic, put):
    put(topic, b'{"type":"execute-snapshot","data": {"data-collections": ["db1.t1", "db1.t2"], "type": "INCREMENTAL"}}')
    (found,) = channel(topic).read()
    assert isinstance(found.signal, ExecuteSnapshot)
    assert (found.signal.id, found.signal.channel, found.signal.collections) == (
        None,
        Channel.KAFKA,
        ("db1.t1", "db1.t2"),
    )
    assert found.next_offset == 1


def test_a_topic_is_read_from_its_beginning_and_then_on(channel, topic, put):
    signals = channel(topic)
    assert signals.read() == []
    assert signals.next_offset == 0
    put(topic, message("a"), message("b"))
    found = read_until(signals, lambda received: len(received) == 2)
    assert (ids(found), [each.next_offset for each in found]) == (["a", "b"], [1, 2])
    assert signals.read() == []
    assert signals.next_offset == 2


def test_records_for_others_and_empty_ones_are_passed_over(channel, topic, put):
    put(topic, message("other"), key=b"other")
    put(topic, message("nobody's"), key=None)
    put(topic, None, b"", message("mine"))
    signals = channel(topic)
    (found,) = signals.read()
    assert (found.signal.id, found.next_offset, signals.next_offset) == ("mine", 5, 5)


def test_a_bad_record_is_told_and_passed(channel, topic, put):
    put(
        topic,
        b"nonsense",
        b"\xff",
        b'{"id": "a", "type": "log"}',
        b'{"id": "b", "type": "log", "data": {"message": "m"}}',
    )
    nonsense, not_text, lacking, fine = channel(topic).read()
    assert all(isinstance(each.signal, Unreadable) for each in (nonsense, not_text, lacking))
    assert (lacking.signal.id, lacking.next_offset) == ("a", 3)
    assert fine.signal == Log(id="b", channel=Channel.KAFKA, message="m")


def test_it_goes_on_from_the_offset_of_the_progress(channel, topic, put):
    put(topic, *map(message, "abcd"))
    found = channel(topic).read()
    assert ids(channel(topic, found[1].next_offset).read()) == ["c", "d"]
    last = channel(topic, found[3].next_offset)
    assert last.read() == []
    assert last.next_offset == 4


def test_without_progress_it_goes_on_where_debeziums_group_stood(channel, topic, put, kafka_broker, group):
    put(topic, *map(message, "abc"))
    consumer = Consumer({"bootstrap.servers": kafka_broker.address, "group.id": group})
    consumer.commit(offsets=[TopicPartition(topic, 0, 2)], asynchronous=False)
    consumer.close()
    assert ids(channel(topic).read()) == ["c"]
    assert ids(channel(topic, 1).read()) == ["b", "c"]


def test_no_offset_is_stored_in_the_group(channel, topic, put, kafka_broker, group):
    put(topic, *map(message, "abc"))
    assert len(channel(topic).read()) == 3
    consumer = Consumer({"bootstrap.servers": kafka_broker.address, "group.id": group})
    (place,) = consumer.committed([TopicPartition(topic, 0)], timeout=SECONDS)
    consumer.close()
    assert place.offset < 0


def test_it_can_begin_at_the_end(channel, topic, put):
    put(topic, *map(message, "abc"))
    signals = channel(topic, **{"auto.offset.reset": "latest"})
    assert signals.read() == []
    assert signals.next_offset == 3
    put(topic, message("d"))
    assert ids(read_until(signals, bool)) == ["d"]


def test_an_offset_that_is_gone_is_told_and_the_topic_read_from_its_beginning(channel, topic, put, caplog):
    put(topic, message("a"))
    signals = channel(topic, 77)
    assert ids(read_until(signals, bool)) == ["a"]
    assert f"the signal topic {topic} has no offset 77 any more: it is read from its beginning" in caplog.text
    assert signals.next_offset == 1


def test_markers_of_transactions_are_passed_and_aborted_signals_are_none(channel, topic, kafka_broker):
    producer = Producer({"bootstrap.servers": kafka_broker.address, "transactional.id": topic, "linger.ms": 0})
    producer.init_transactions(SECONDS)
    for value, end in (("a", producer.commit_transaction), ("b", producer.abort_transaction)):
        producer.begin_transaction()
        producer.produce(topic, message(value), b"dbz")
        assert producer.flush(SECONDS) == 0
        end(SECONDS)
    signals = channel(topic)
    assert ids(signals.read()) == ["a"]
    assert signals.next_offset == 4
    assert channel(topic, 4).read() == []


def test_a_topic_that_is_not_there_comes_to_be(channel, put):
    topic = f"signals-{uuid.uuid4().hex[:8]}"
    signals = channel(topic)
    signals.read()
    put(topic, message("a"))
    assert ids(read_until(signals, bool)) == ["a"]


def test_only_the_first_partition_is_read_and_that_is_told(channel, new_topic, put, caplog):
    topic = new_topic(2)
    put(topic, message("a"))
    put(topic, message("b"), partition=1)
    assert ids(channel(topic).read()) == ["a"]
    assert f"the signal topic {topic} has 2 partitions: signals are read from partition 0 only" in caplog.text


def test_many_signals_come_in_several_looks(channel, topic, put):
    put(topic, *map(message, range(1200)))
    signals = channel(topic)
    assert len(signals.read()) == 500
    found = read_until(signals, lambda received: len(received) == 700)
    assert ids(found) == [str(n) for n in range(500, 1200)]
    assert all(isinstance(each.signal, PauseSnapshot) for each in found)


def test_brokers_that_do_not_answer_are_a_warning(caplog, monkeypatch):
    monkeypatch.setattr("tailrace.signals.kafka_topic.FIRST_SECONDS", 1.0)
    signals = KafkaSignals({"bootstrap.servers": "127.0.0.1:1"}, "any", "dbz", next_offset=3)
    assert signals.read() == []
    began = time.monotonic()
    assert signals.read() == []
    assert time.monotonic() - began < 0.9  # only the first look waits for the brokers
    assert signals.next_offset == 3
    signals.close()
    assert "the signal topic any can't be read yet: " in caplog.text
