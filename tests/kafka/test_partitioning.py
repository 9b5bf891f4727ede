"""A key goes to the partition where Java's producer would put it."""

import random
import uuid

import pytest

from support.kafka_columns import records
from support.kafka_reading import read_topics
from tailrace.kafka.producer import Producer

PARTITIONS = 7


def murmur2(data):
    """Kafka's `Utils.murmur2`, as its documentation of the protocol's partitioning says."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    if data[whole:]:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_reference_gives_what_kafkas_own_tests_expect(key, hashed):
    assert murmur2(key) == hashed & 0xFFFFFFFF


@pytest.mark.kafka
def test_keys_go_where_javas_producer_puts_them(kafka_broker, topic_with):
    topic = topic_with(PARTITIONS)
    rng = random.Random(7)
    keys = [rng.randbytes(size) for size in range(1, 400)] + [b""]
    producer = Producer({"bootstrap.servers": kafka_broker.address}, transactional=False)
    producer.send(records(topic, keys, [uuid.uuid4().bytes for _ in keys]))
    producer.commit(30)
    producer.close()
    found = {read.key: read.partition for read in read_topics(kafka_broker.address, [topic])}
    assert found == {key: (murmur2(key) & 0x7FFFFFFF) % PARTITIONS for key in keys}
