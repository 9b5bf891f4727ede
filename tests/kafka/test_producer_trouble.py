"""A producer whose broker goes away, does not let it in, or drops what took too long."""

import time

import numpy as np
import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from support.kafka_columns import binary, records
from support.kafka_reading import read_topics
from tailrace.changes.records import Binary, Records
from tailrace.encoding.buffers import keep_buffer, take_buffer
from tailrace.errors import ConfigError, FencedError, SinkLostError, TailraceError
from tailrace.kafka.producer import HELD_BYTES, Producer
from tailrace_standins.servers.kafka_broker import KafkaBroker, Unavailable
from tailrace_standins.servers.kafka_security import Security

TIMEOUT = 30
pytestmark = [pytest.mark.kafka, pytest.mark.slow]


def started(**options):
    broker = KafkaBroker(**options)
    try:
        return broker.start()
    except Unavailable as reason:
        broker.discard()
        pytest.skip(f"no Kafka broker: {reason}")


@pytest.fixture
def mortal_broker():
    """A broker of the test's own."""
    broker = started()
    yield broker
    broker.discard()


@pytest.fixture(scope="module")
def strict_broker():
    """A broker that asks for a password and lets nobody do anything."""
    broker = started(security=Security("SASL_PLAINTEXT"), authorize=True)
    admin = AdminClient({"bootstrap.servers": broker.plain_address})
    admin.create_topics([NewTopic("closed", num_partitions=1, replication_factor=1)])["closed"].result()
    yield broker
    broker.discard()


def producer_of(broker, transactional_id="t", **options):
    given = {**broker.client_options(), "transactional.id": transactional_id, **options}
    producer = Producer(given, transactional=True)
    try:
        producer.init_transactions(TIMEOUT)
    except TailraceError:
        producer.close()
        raise
    return producer


def deliver(producer, item):
    producer.begin()
    producer.send(item)
    producer.commit(TIMEOUT)


def seconds_of(step):
    began = time.monotonic()
    step()
    return time.monotonic() - began


def allow(broker, kind, name, operation):
    acl = AclBinding(kind, name, ResourcePatternType.LITERAL, "User:alice", "*", operation, AclPermissionType.ALLOW)
    admin = AdminClient({"bootstrap.servers": broker.plain_address})
    admin.create_acls([acl])[acl].result()


def test_a_commit_without_a_broker_loses_the_sink_and_the_next_owner_goes_on(mortal_broker):
    producer = producer_of(mortal_broker)
    deliver(producer, records("t", [b"k"], [b"before"]))
    producer.begin()
    producer.send(records("t", [b"k"] * 1000, [b"lost"] * 1000))
    producer.flush(TIMEOUT)
    mortal_broker.kill()
    with pytest.raises(SinkLostError, match="committed"):
        producer.commit(2)
    assert seconds_of(producer.close) < 3
    mortal_broker.start()
    producer = producer_of(mortal_broker)
    deliver(producer, records("t", [b"k"], [b"after"]))
    producer.close()
    assert [r.value for r in read_topics(mortal_broker.address, ["t"])] == [b"before", b"after"]


def test_a_broker_that_dies_while_much_is_under_way_loses_the_sink(mortal_broker):
    producer = producer_of(mortal_broker, **{"queue.buffering.max.messages": "2000", "message.timeout.ms": "3000"})
    producer.begin()
    producer.send(records("t", [b"k"] * 2000, [bytes(1000)] * 2000))
    mortal_broker.kill()
    with pytest.raises(SinkLostError):
        producer.send(records("t", [b"k"] * 50_000, [bytes(100)] * 50_000))
    assert seconds_of(producer.close) < 3


def test_a_broker_that_comes_back_in_time_is_not_noticed(mortal_broker):
    producer = producer_of(mortal_broker)
    producer.begin()
    for part in range(20):
        producer.send(records("t", [b"%d" % i for i in range(1000)], [b"%d" % (part * 1000 + i) for i in range(1000)]))
        if part == 10:
            mortal_broker.restart()
    producer.commit(60)
    producer.close()
    found = [int(r.value) for r in read_topics(mortal_broker.address, ["t"])]
    assert found == list(range(20_000))


def test_memory_that_is_used_again_is_not_what_a_retry_sends(mortal_broker):
    """GIVEN large values without compression, which requests do not copy, WHEN the broker goes and comes back."""
    size, rows, parts = 100_000, 50, 24
    assert size * rows * parts > 4 * HELD_BYTES
    producer = producer_of(mortal_broker, **{"compression.type": "none", "message.max.bytes": "1000000"})
    producer.begin()
    blocks = set()
    for part in range(parts):
        data = take_buffer(size * rows)
        blocks.add(data.ctypes.data)
        data[: size * rows] = part
        keep_buffer(size * rows)
        keys = binary([b"%d" % part] * rows)
        values = Binary(data[: size * rows], np.arange(rows + 1) * size)
        producer.send(Records("t", keys, values, np.ones(rows, np.int64), keys, np.arange(rows), partition=0))
        del data, values
        if part in (8, 16):
            mortal_broker.restart()
    producer.commit(60)
    producer.close()
    assert len(blocks) < parts, "memory is used again"
    found = read_topics(mortal_broker.address, ["t"])
    assert [r.key for r in found] == [b"%d" % part for part in range(parts) for _ in range(rows)]
    assert all(r.value == bytes([int(r.key)]) * size for r in found)


def test_a_transaction_that_took_too_long_ends_as_if_another_had_come(mortal_broker):
    options = {"transaction.timeout.ms": "1000", "message.timeout.ms": "1000"}
    producer = producer_of(mortal_broker, **options)
    producer.begin()
    producer.send(records("t", [b"k"], [b"late"]))
    producer.flush(TIMEOUT)

    other = producer_of(mortal_broker, "other")
    deliver(other, records("t", [b"k"], [b"behind it"]))
    other.close()
    deadline = time.monotonic() + 60  # the broker looks every ten seconds
    while not read_topics(mortal_broker.address, ["t"]):
        assert time.monotonic() < deadline
    with pytest.raises(FencedError, match=r"transaction\.timeout\.ms"):
        producer.commit(TIMEOUT)
    producer.close()


def test_a_wrong_password_is_said_at_once_and_not_shown(strict_broker):
    began = time.monotonic()
    with pytest.raises(ConfigError, match=r"sasl\.\*") as raised:
        producer_of(strict_broker, **{"sasl.password": "not-it"})
    assert time.monotonic() - began < 10
    assert "not-it" not in str(raised.value)


def test_rights_that_are_missing_are_named(strict_broker):
    with pytest.raises(ConfigError, match=r"tailrace\.transactional\.id\.prefix"):
        producer_of(strict_broker)
    allow(strict_broker, ResourceType.TRANSACTIONAL_ID, "t", AclOperation.WRITE)
    producer = producer_of(strict_broker)
    with pytest.raises(ConfigError, match=r"closed.*Write"):
        deliver(producer, records("closed", [b"k"], [b"v"]))
    assert seconds_of(producer.close) < 3


def test_a_topic_that_may_be_seen_but_not_written_to_is_named(strict_broker):
    allow(strict_broker, ResourceType.TRANSACTIONAL_ID, "t", AclOperation.WRITE)
    allow(strict_broker, ResourceType.TOPIC, "closed", AclOperation.DESCRIBE)
    producer = producer_of(strict_broker)
    with pytest.raises(ConfigError, match=r"closed.*Write"):
        deliver(producer, records("closed", [b"k"], [b"v"]))
    assert seconds_of(producer.close) < 3
