"""Whole columns into Kafka, in transactions, by a real broker."""

import gc
import os
import random
import resource
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from confluent_kafka import Consumer, TopicPartition

from support.kafka_columns import binary, records
from support.kafka_reading import read_topics
from tailrace.changes.records import Binary, Header, Records
from tailrace.encoding.buffers import keep_buffer, take_buffer
from tailrace.errors import ConfigError, DeliveryError, FencedError, SinkLostError
from tailrace.kafka.producer import HELD_BYTES, Producer
from tailrace_standins.servers.waiting import wait_until

TIMEOUT = 30
pytestmark = pytest.mark.kafka


@pytest.fixture
def producer_of(kafka_broker):
    """Makes producers of the broker, closed at the end."""
    made = []

    def make(transactional_id=None, **options):
        given = {"bootstrap.servers": kafka_broker.address, "enable.idempotence": "true"}
        given |= {name.replace("_", "."): str(value) for name, value in options.items()}
        if transactional_id is not None:
            given["transactional.id"] = transactional_id
        made.append(Producer(given, transactional=transactional_id is not None))
        if transactional_id is not None:
            made[-1].init_transactions(TIMEOUT)
        return made[-1]

    yield make
    for producer in made:
        producer.close()


def ends(address, topic):
    """The end of each partition as the broker tells it: whether a record that was not read is there."""
    consumer = Consumer({"bootstrap.servers": address, "group.id": "ends"})
    try:
        return [consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=TIMEOUT)[1] for number in range(3)]
    finally:
        consumer.close()


def in_one_transaction(producer, *items):
    producer.begin()
    for item in items:
        producer.send(item)
    producer.commit(TIMEOUT)


def test_null_and_empty_are_two_things(kafka_broker, topic, producer_of):
    texts = [None, b"", b"x", b"long " * 1000]
    pairs = [(key, value) for key in texts for value in texts]
    in_one_transaction(producer_of(topic), records(topic, [k for k, _ in pairs], [v for _, v in pairs], partition=0))
    assert [(r.key, r.value) for r in read_topics(kafka_broker.address, [topic])] == pairs


def test_a_column_of_nothing_but_nulls_or_empty_strings_goes_through(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    in_one_transaction(
        producer,
        records(topic, [None] * 3, [b""] * 3, partition=0),
        records(topic, [b""] * 2, [None] * 2, partition=0),
        records(topic, [], []),
    )
    found = [(r.key, r.value) for r in read_topics(kafka_broker.address, [topic])]
    assert found == [(None, b"")] * 3 + [(b"", None)] * 2


def test_headers_with_null_arrive_beside_records_without_them(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    for n in (1, 4):  # a single record goes another way than several
        sent = records(topic, [b"k"] * n, [b"v"] * n, partition=0)
        sent.headers = (Header("h", binary([None] * n), np.arange(n) % 2 == 0),)
        in_one_transaction(producer, sent)
    found = read_topics(kafka_broker.address, [topic])
    assert [r.headers for r in found] == [{"h": None}, {"h": None}, {}, {"h": None}, {}]


def test_times_and_headers_are_each_records_own(kafka_broker, topic, producer_of):
    n = 50
    times = [1_600_000_000_000 + 7 * i for i in range(n)]
    headers = {"a": [b"%d" % i if i % 2 else None for i in range(n)], "b": [b"" if i % 3 else None for i in range(n)]}
    sent = records(topic, [b"k"] * n, [b"%d" % i for i in range(n)], timestamps=times, headers=tuple(headers.items()))
    in_one_transaction(producer_of(topic), sent)
    found = read_topics(kafka_broker.address, [topic])
    assert [r.timestamp for r in found] == times
    assert [r.headers for r in found] == [
        {name: texts[i] for name, texts in headers.items() if texts[i] is not None} for i in range(n)
    ]


def test_a_partition_that_is_given_is_taken(kafka_broker, topic_with, producer_of):
    topic = topic_with(3)
    sent = [records(topic, [b"same"] * 5, [b"%d" % i] * 5, partition=i) for i in range(3)]
    in_one_transaction(producer_of(topic), *sent)
    found = [(r.partition, r.value) for r in read_topics(kafka_broker.address, [topic])]
    assert found == [(i, b"%d" % i) for i in range(3) for _ in range(5)]


def test_one_record_alone_may_say_everything(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    producer.begin()
    assert producer.send_one(topic, b"key", b"value", partition=0, timestamp_ms=5, headers=[("h", b"1")]) == 8
    producer.send_one(topic, None, None)
    producer.commit(TIMEOUT)
    first, second = read_topics(kafka_broker.address, [topic])
    assert (first.key, first.value, first.timestamp, first.headers) == (b"key", b"value", 5, {"h": b"1"})
    assert (second.key, second.value, second.headers) == (None, None, {})
    assert abs(second.timestamp / 1000 - time.time()) < 60


def test_the_order_within_a_partition_holds_over_records_of_all_sizes(kafka_broker, topic_with, producer_of):
    topic = topic_with(3)
    rng = random.Random(11)
    n = 200_000
    sizes = [rng.choice((0, 3, 30, 300)) for _ in range(n)]
    sizes[77_777] = 900_000
    filler = bytes(range(256)) * 4000
    producer = producer_of(topic, batch_size=200_000, queue_buffering_max_messages=50_000)
    producer.begin()
    for begin in range(0, n, 20_000):
        rows = range(begin, begin + 20_000)
        keys, values = [b"%d" % (i % 97) for i in rows], [b"%d " % i + filler[: sizes[i]] for i in rows]
        assert producer.send(records(topic, keys, values)) == sum(map(len, keys)) + sum(map(len, values))
    producer.commit(TIMEOUT)
    found = read_topics(kafka_broker.address, [topic])
    numbers = [int(r.value.split(b" ", 1)[0]) for r in found]
    assert sorted(numbers) == list(range(n)), f"of {ends(kafka_broker.address, topic)} by partition were read {len(found)}"
    assert all(
        len(r.value) == len(b"%d " % i) + sizes[i] and int(r.key) == i % 97 for r, i in zip(found, numbers, strict=True)
    )
    for partition in range(3):
        own = [i for r, i in zip(found, numbers, strict=True) if r.partition == partition]
        assert own == sorted(own)


def test_a_queue_that_is_smaller_than_a_batch_only_slows_down(kafka_broker, topic, producer_of):
    n = 50_000
    producer = producer_of(topic, queue_buffering_max_messages=1000)
    values = [b"%d" % i for i in range(n)]
    headers = [("h", [b"1" if i % 5 == 0 else None for i in range(n)])]
    in_one_transaction(producer, records(topic, [b"k"] * n, values, headers=headers))
    found = read_topics(kafka_broker.address, [topic])
    assert [r.value for r in found] == values
    assert [bool(r.headers) for r in found] == [i % 5 == 0 for i in range(n)]


def test_what_was_aborted_or_dropped_at_closing_is_not_to_be_seen(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    producer.begin()
    producer.send(records(topic, [b"k"] * 1000, [b"aborted"] * 1000))
    producer.abort(TIMEOUT)
    in_one_transaction(producer, records(topic, [b"k"], [b"kept"]))
    producer.begin()
    producer.send(records(topic, [b"k"] * 1000, [b"dropped"] * 1000))
    producer.close()
    in_one_transaction(producer_of(topic), records(topic, [b"k"], [b"later"]))
    assert [r.value for r in read_topics(kafka_broker.address, [topic])] == [b"kept", b"later"]


def test_whoever_comes_later_fences_the_one_before(kafka_broker, topic, producer_of):
    old = producer_of(topic)
    old.begin()
    old.send(records(topic, [b"k"], [b"old"]))
    old.flush(TIMEOUT)
    new = producer_of(topic)
    with pytest.raises(FencedError, match="taken over"):
        old.commit(TIMEOUT)
    with pytest.raises(FencedError):
        old.begin()
    in_one_transaction(new, records(topic, [b"k"], [b"new"]))
    assert [r.value for r in read_topics(kafka_broker.address, [topic])] == [b"new"]


def test_being_fenced_shows_too_where_records_are_sent(topic, producer_of):
    old = producer_of(topic)
    in_one_transaction(old, records(topic, [b"k"], [b"old"]))
    producer_of(topic)
    with pytest.raises(FencedError):
        in_one_transaction(old, records(topic, [b"k"] * 1000, [b"old"] * 1000))


def test_without_transactions_a_flush_delivers(kafka_broker, topic, producer_of):
    producer = producer_of(None)
    producer.init_transactions(TIMEOUT)
    in_one_transaction(producer, records(topic, [b"k"] * 3, [b"1", b"2", b"3"]))
    assert [r.value for r in read_topics(kafka_broker.address, [topic])] == [b"1", b"2", b"3"]


def test_a_record_that_the_producer_finds_too_large_is_named(topic, producer_of):
    producer = producer_of(topic, message_max_bytes=100_000)
    producer.begin()
    with pytest.raises(DeliveryError) as raised:
        producer.send(records(topic, [b"key"] * 3, [b"1", b"2", bytes(200_000)]))
    for part in (topic, "at p2 ", "200003 bytes", "100000", "producer.override.max.request.size", "max.message.bytes"):
        assert part in str(raised.value)
    with pytest.raises(DeliveryError):
        producer.commit(TIMEOUT)


def test_a_record_that_the_broker_finds_too_large_is_named(topic_with, producer_of):
    topic = topic_with(1, {"max.message.bytes": "50000"})
    producer = producer_of(topic, linger_ms=50)
    values = [b"first", bytes(200_000), b"last"]
    with pytest.raises(DeliveryError, match=rf"of {topic} at p1 has 200003 bytes .*max\.message\.bytes"):
        in_one_transaction(producer, records(topic, [b"key"] * 3, values, partition=0))


def test_a_record_that_is_larger_than_all_that_may_be_held_is_named(topic, producer_of):
    producer = producer_of(topic, queue_buffering_max_kbytes=1024, message_max_bytes=5_000_000)
    producer.begin()
    with pytest.raises(DeliveryError, match=rf"a record of 2,000,003 bytes for {topic} .*producer\.override\.buffer\.memory"):
        producer.send(records(topic, [b"key"] * 3, [b"1", b"2", bytes(2_000_000)]))


@pytest.mark.parametrize("keys", [[None], [b"k", None], [b"k", None, None], [None, None, b"k"]])
def test_records_that_a_compacted_topic_refuses_are_told_wherever_they_are_among_others(topic_with, producer_of, keys):
    topic = topic_with(1, {"cleanup.policy": "compact"})
    producer = producer_of(topic, linger_ms=50)
    with pytest.raises(DeliveryError, match="a compacted topic takes no record without a key"):
        in_one_transaction(producer, records(topic, keys, [b"v"] * len(keys), partition=0))


def test_a_partition_that_is_not_there_is_refused(topic_with, producer_of):
    topic = topic_with(2)
    producer = producer_of(topic, topic_metadata_propagation_max_ms=500)
    with pytest.raises(DeliveryError, match=topic):
        in_one_transaction(producer, records(topic, [b"k"], [b"v"], partition=5))


def test_a_topic_name_that_kafka_does_not_know_is_refused(topic, producer_of):
    producer = producer_of(topic)
    with pytest.raises(DeliveryError, match="topic"):
        in_one_transaction(producer, records("not a topic!", [b"k"], [b"v"]))


def test_a_transaction_longer_than_the_broker_allows_is_a_matter_of_the_configuration(topic, producer_of):
    with pytest.raises(ConfigError, match=r"transaction\.timeout\.ms"):
        producer_of(topic, transaction_timeout_ms=2_000_000_000)


def test_options_that_librdkafka_refuses_are_named_and_secrets_are_not():
    with pytest.raises(ConfigError, match=r"no\.such\.option"):
        Producer({"no.such.option": "1"}, transactional=False)
    with pytest.raises(ConfigError, match="linger"):
        Producer({"linger.ms": "soon"}, transactional=False)
    with pytest.raises(ConfigError) as raised:
        Producer({"ssl.key.pem": "hunter2", "security.protocol": "ssl"}, transactional=False)
    assert "hunter2" not in str(raised.value)
    with pytest.raises(ConfigError, match=r"transactional\.id"):
        Producer({}, transactional=True)


def test_a_broker_that_is_not_there_is_told_when_time_is_up(capfd):
    options = {"bootstrap.servers": "127.0.0.1:1", "transactional.id": "x"}
    producer = Producer(options, transactional=True)
    with pytest.raises(SinkLostError, match=r"127\.0\.0\.1:1"):
        producer.init_transactions(1.5)
    producer.close()
    plain = Producer({"bootstrap.servers": "127.0.0.1:1"}, transactional=False)
    plain.send(records("t", [b"k"] * 100, [b"v"] * 100))
    with pytest.raises(SinkLostError, match="100 records"):
        plain.flush(0.5)
    began = time.monotonic()
    plain.close()
    assert time.monotonic() - began < 3
    assert capfd.readouterr() == ("", "")


def test_buffers_are_held_until_what_is_in_them_was_delivered(kafka_broker, topic, producer_of):
    """Each value is written into memory that is used again as soon as nobody holds it."""
    size, rows = 1000, 2000
    producer = producer_of(topic, linger_ms=50)
    blocks = set()
    for transaction in range(20):
        producer.begin()
        for part in range(3):
            data = take_buffer(size * rows)
            blocks.add(data.ctypes.data)
            data[: size * rows] = transaction * 3 + part
            keep_buffer(size * rows)
            values = Binary(data[: size * rows], np.arange(rows + 1) * size)
            keys = binary([b"%d" % (transaction * 3 + part)] * rows)
            producer.send(Records(topic, keys, values, np.ones(rows, np.int64), keys, np.arange(rows), partition=0))
            del data, values
        producer.commit(TIMEOUT)
    assert len(blocks) < 60  # memory was used again, or nothing is shown
    found = read_topics(kafka_broker.address, [topic])
    assert len(found) == 60 * rows
    assert all(r.value == bytes([int(r.key)]) * size for r in found)


def test_a_send_is_delivered_while_a_later_one_is_under_way(topic, producer_of):
    producer = producer_of(topic, linger_ms=20_000, batch_size=10_000)
    producer.begin()
    for _ in range(2):
        producer.send(records(topic, [b"k"] * 1000, [bytes(100)] * 1000, partition=0))
    delivered = producer._client.deliveries
    wait_until(lambda: delivered.of(0) == 1000, TIMEOUT, lambda: f"{delivered.of(0)} have arrived")
    time.sleep(0.5)
    assert 0 < delivered.of(1) < 1000, "the last batch waits for more"
    producer.commit(TIMEOUT)
    assert (delivered.of(0), delivered.of(1)) == (0, 0), "they are counted no more"


def test_sends_that_are_dropped_count_for_nothing(topic, producer_of):
    producer = producer_of(topic, batch_size=10_000, linger_ms=20_000)
    producer.begin()
    producer.send(records(topic, [b"k"] * 1000, [bytes(100)] * 1000))
    producer.abort(TIMEOUT)
    assert producer._client.deliveries.of(0) == 0
    assert producer._held_bytes == 0


def test_more_sends_than_can_be_told_apart_wait_for_the_oldest(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    n = producer._client.deliveries.limit + 1000
    producer.begin()
    for i in range(n):
        producer.send(records(topic, [b"k"], [b"%d" % i]))
    producer.commit(TIMEOUT)
    assert [r.value for r in read_topics(kafka_broker.address, [topic])] == [b"%d" % i for i in range(n)]


@pytest.mark.parametrize("partition", [0, None])
def test_a_long_transaction_holds_only_what_is_under_way(kafka_broker, topic_with, producer_of, partition):
    """Memory is used again before the transaction ends, and what was in it is delivered all the same."""
    topic = topic_with(3)
    size, rows, parts = 1000, 5000, 22
    assert size * rows * parts > 4 * HELD_BYTES
    producer = producer_of(topic, linger_ms=50, compression_type="lz4")
    producer.begin()
    blocks, held = set(), []
    for part in range(parts):
        data = take_buffer(size * rows)
        blocks.add(data.ctypes.data)
        data[: size * rows] = part
        keep_buffer(size * rows)
        keys = binary([b"%d %d" % (part, row) for row in range(rows)])
        values = Binary(data[: size * rows], np.arange(rows + 1) * size)
        times, order = np.ones(rows, np.int64), np.arange(rows)
        producer.send(Records(topic, keys, values, times, keys, order, partition=partition))
        del data, values
        held.append(producer._held_bytes)
    producer.commit(TIMEOUT)
    assert len(blocks) < parts, "memory is used again"
    assert size * rows < max(held) <= HELD_BYTES
    found = read_topics(kafka_broker.address, [topic])
    assert len(found) == parts * rows
    assert all(r.value == bytes([int(r.key.split()[0])]) * size for r in found)


def test_nothing_is_held_after_a_commit_an_abort_or_the_end(topic, producer_of):
    producer = producer_of(topic)

    def references_after(step):
        data = np.zeros(10_000, np.uint8)
        before = sys.getrefcount(data)
        producer.begin()
        column = Binary(data, np.arange(0, 10_001, 100))
        producer.send(Records(topic, column, column, np.ones(100, np.int64), column, np.arange(100)))
        del column
        assert sys.getrefcount(data) > before
        step()
        gc.collect()
        return sys.getrefcount(data) - before

    assert references_after(lambda: producer.commit(TIMEOUT)) == 0
    assert references_after(lambda: producer.abort(TIMEOUT)) == 0
    assert references_after(producer.close) == 0


def test_memory_does_not_grow_with_the_number_of_transactions(topic, producer_of):
    producer = producer_of(topic)
    sent = records(topic, [b"%d" % i for i in range(2000)], [bytes(500)] * 2000, headers=[("h", [b"x"] * 2000)])

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    for _ in range(30):
        in_one_transaction(producer, sent)
    before = resident()
    for _ in range(100):
        in_one_transaction(producer, sent)
    assert resident() - before < 20_000_000


def test_closing_leaves_no_threads_of_the_library_behind(topic, producer_of):
    def threads():
        return len(list(Path("/proc/self/task").iterdir()))

    producer_of(topic).close()
    before = threads()
    for _ in range(5):
        producer = producer_of(topic)
        in_one_transaction(producer, records(topic, [b"k"], [b"v"]))
        producer.close()
        producer.close()
    wait_until(lambda: threads() <= before, 10, lambda: f"{threads()} threads, and {before} before")


def test_a_producer_that_is_forgotten_lets_go_of_all_it_holds(kafka_broker, topic):
    data = np.zeros(10_000, np.uint8)
    before = sys.getrefcount(data)
    producer = Producer({"bootstrap.servers": kafka_broker.address, "linger.ms": "60000"}, transactional=False)
    column = Binary(data, np.arange(0, 10_001, 100))
    producer.send(Records(topic, column, column, np.ones(100, np.int64), column, np.arange(100)))
    del producer, column
    gc.collect()
    assert sys.getrefcount(data) == before


def test_a_child_that_was_forked_lets_the_parents_producer_alone(kafka_broker, topic, producer_of):
    producer = producer_of(topic)
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        producer.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    in_one_transaction(producer, records(topic, [b"k"], [b"parent"]))
    assert [r.value for r in read_topics(kafka_broker.address, [topic])] == [b"parent"]


def test_other_threads_run_while_a_full_queue_is_waited_for(topic, producer_of):
    producer = producer_of(topic, queue_buffering_max_messages=1000)
    beats, over = [], threading.Event()

    def beat():
        while not over.wait(0.005):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    in_one_transaction(producer, records(topic, [b"k"] * 100_000, [bytes(100)] * 100_000))
    over.set()
    thread.join()
    assert len(beats) > 5
