"""Stores of offsets: a file, a topic, and their names."""

import threading
import time
import uuid
from contextlib import contextmanager

import pytest
from attrs import evolve
from confluent_kafka import Producer

from support.unit_settings import unit_settings
from tailrace.config.worker import Worker
from tailrace.connect_offsets.file import OffsetFile
from tailrace.connect_offsets.stores import open_store, place_of, require_own_topic
from tailrace.connect_offsets.topic import OffsetTopic
from tailrace.errors import ConfigError, ProgressError, RetriableError


@pytest.fixture
def topic(kafka_broker):
    """The store of a topic that is not there yet."""
    return open_store(f"kafka:{kafka_broker.address}/d-{uuid.uuid4().hex[:8]}-offsets", unit_settings())


@pytest.mark.parametrize("place", ["", "file:", "kafka:h:9092", "kafka:/topic", "redis:h/x", "/tmp/offsets.dat"])
def test_a_place_that_is_none_is_refused_with_the_two_that_are(place):
    with pytest.raises(ConfigError, match=r"file:PATH .* kafka:HOST:PORT/TOPIC"):
        open_store(place, unit_settings())


def test_a_file_that_is_not_there_has_no_entries(tmp_path):
    store = OffsetFile(tmp_path / "new.dat")
    assert (store.exists(), store.load()) == (False, {})


def test_an_entry_goes_into_a_file_beside_the_others(tmp_path):
    store = OffsetFile(tmp_path / "deep" / "offsets.dat")
    store.store(b"a", b"1")
    store.store(b"b", b"2")
    store.store(b"a", b"3")
    assert OffsetFile(tmp_path / "deep" / "offsets.dat").load() == {b"a": b"3", b"b": b"2"}


def test_a_file_of_something_else_is_not_overwritten(tmp_path):
    path = tmp_path / "precious"
    path.write_text("mine")
    with pytest.raises(ProgressError, match="precious is not a file of Kafka Connect's offsets"):
        OffsetFile(path).store(b"a", b"1")
    assert path.read_text() == "mine"


@pytest.mark.kafka
def test_a_topic_that_is_not_there_has_no_entries_and_is_not_made_by_looking(topic):
    assert (topic.exists(), topic.load(), topic.exists()) == (False, {}, False)


@pytest.mark.kafka
def test_the_last_value_of_a_key_counts_whatever_its_partition(topic):
    for number in range(40):
        topic.store(f"k{number % 9}".encode(), str(number).encode())
    last = {f"k{number % 9}".encode(): str(number).encode() for number in range(40)}
    assert topic.load() == last


@contextmanager
def worker_within_a_transaction(topic, kafka_broker, key, value):
    """A Connect worker with delivery exactly once, which has written an offset and not committed it yet."""
    options = {"bootstrap.servers": kafka_broker.address, "transactional.id": uuid.uuid4().hex, "partitioner": "murmur2_random"}
    worker = Producer(options)
    worker.init_transactions(30)
    worker.begin_transaction()
    worker.produce(topic._topic.name, key=key, value=value)
    worker.flush(30)
    try:
        yield worker
    finally:
        worker.abort_transaction(30)


@pytest.mark.kafka
def test_an_offset_whose_transaction_was_aborted_does_not_count(topic, kafka_broker):
    """The records that it speaks of do not exist either."""
    topic.store(b"k", b"committed")
    with worker_within_a_transaction(topic, kafka_broker, b"k", b"aborted"):
        pass
    assert topic.load() == {b"k": b"committed"}


@pytest.mark.kafka
def test_the_end_of_an_open_transaction_is_waited_for(topic, kafka_broker):
    topic.store(b"k", b"older")
    with worker_within_a_transaction(topic, kafka_broker, b"k", b"newer") as worker:
        later = threading.Timer(1.5, worker.commit_transaction)
        later.start()
        assert topic.load() == {b"k": b"newer"}
        later.join()
        worker.begin_transaction()


@pytest.mark.kafka
def test_a_transaction_that_stays_open_is_told(topic, kafka_broker):
    """GIVEN a worker that was killed: what stands behind its transaction can't be seen before that ends."""
    topic.store(b"k", b"older")
    with worker_within_a_transaction(topic, kafka_broker, b"k", b"newer"):
        began = time.monotonic()
        with pytest.raises(RetriableError, match=r"held up by a transaction that is open: .* stable up to"):
            OffsetTopic(evolve(topic._topic, timeout=2)).load()
        assert time.monotonic() - began < 20


@pytest.fixture
def worker(tmp_path):
    path = tmp_path / "worker.properties"
    path.write_text("bootstrap.servers=h:9092\noffset.storage.topic=of-all\n")
    return Worker.read(path)


def test_the_topic_of_a_connectors_own_is_the_one_that_counts(worker):
    own = unit_settings({"offsets.storage.topic": "its-own"})
    assert place_of(worker, own) == "kafka:h:9092/its-own"
    assert place_of(worker, unit_settings()) == "kafka:h:9092/of-all"
    require_own_topic("kafka:h:9092/its-own", own)
    require_own_topic("file:/tmp/offsets.dat", own)
    require_own_topic("kafka:h:9092/of-all", unit_settings())
    with pytest.raises(ConfigError, match=r"of-all is not where .* offsets\.storage\.topic is 'its-own'"):
        require_own_topic("kafka:h:9092/of-all", own)
