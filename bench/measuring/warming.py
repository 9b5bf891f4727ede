"""Warms the broker up before the first run: its Java machine serves both sides, and compiles its code while it does.

Cold, it takes three times the CPU time for a record, and the first run of either side was up to a third slower. The records are of
neither side: of a Kafka client with the batches that Java's producer makes by default, and with large ones, compressed and not; then
in transactions with many topics.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from bench.measuring import topics
from confluent_kafka import Producer

SECONDS: Final = 60
BATCHES: Final = (16_384, 1_000_000)  # bytes
COMPRESSIONS: Final = ("lz4", "none")
TOPIC: Final = "warm-up"
TOPICS: Final = tuple(f"warm-up-{number}" for number in range(100))
TRANSACTION: Final = 20_000  # messages
VALUE: Final = b"".join(b'{"id": %d, "name": "some text"}' % k for k in range(12))
EACH: Final = 500  # messages between two looks at the clock


def warm(address: str, seconds: float = SECONDS) -> int:
    """Send records for so many seconds; returns how many."""
    ways = [(batch, compression) for batch in BATCHES for compression in COMPRESSIONS]
    each = seconds / (len(ways) + 2)
    topics.create(address, [TOPIC], 4)
    topics.create(address, TOPICS, 1)
    try:
        return sum(_send(address, batch, compression, each) for batch, compression in ways) + _transactions(address, 2 * each)
    finally:
        topics.remove(address, TOPIC)


def _send(address: str, batch: int, compression: str, seconds: float) -> int:
    options = {"bootstrap.servers": address, "batch.size": batch, "compression.type": compression, "linger.ms": 5}
    producer = Producer({**options, "enable.idempotence": True, "log_level": 3})
    sent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        sent += _queued(producer, (TOPIC,), sent, EACH)
    if left := producer.flush(60):
        raise RuntimeError(f"{left} records that warm the broker up were not delivered")
    return sent


def _transactions(address: str, seconds: float) -> int:
    options = {"bootstrap.servers": address, "compression.type": "lz4", "linger.ms": 5, "transactional.id": TOPIC}
    producer = Producer({**options, "log_level": 3})
    producer.init_transactions(60)
    sent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        producer.begin_transaction()
        for _ in range(TRANSACTION // EACH):
            sent += _queued(producer, TOPICS, sent, EACH)
        producer.commit_transaction(60)
    return sent


def _queued(producer: Producer, names: Sequence[str], first: int, count: int) -> int:
    """Queue so many records at most, in turn for each topic; returns how many."""
    for number in range(first, first + count):
        try:
            producer.produce(names[number % len(names)], VALUE, b'{"id": %d}' % number)
        except BufferError:  # its queue is full
            producer.poll(0.05)
            return number - first
    producer.poll(0)
    return count
