"""Warms the broker up before the first run: its Java machine serves both sides, and compiles its code while it does.

Cold, it takes three times the CPU time for a record, and the first run of either side was up to a third slower. The records are of
neither side: of a Kafka client with the batches that Java's producer makes by default, and with large ones, compressed and not.
"""

from __future__ import annotations

import time
from typing import Final

from bench.measuring import topics
from confluent_kafka import Producer

SECONDS: Final = 40
BATCHES: Final = (16_384, 1_000_000)  # bytes
COMPRESSIONS: Final = ("lz4", "none")
TOPIC: Final = "warm-up"
VALUE: Final = b"".join(b'{"id": %d, "name": "some text"}' % k for k in range(12))
EACH: Final = 500  # messages between two looks at the clock


def warm(address: str, seconds: float = SECONDS) -> int:
    """Send records for so many seconds; returns how many."""
    ways = [(batch, compression) for batch in BATCHES for compression in COMPRESSIONS]
    topics.create(address, [TOPIC], 4)
    try:
        return sum(_send(address, batch, compression, seconds / len(ways)) for batch, compression in ways)
    finally:
        topics.remove(address, TOPIC)


def _send(address: str, batch: int, compression: str, seconds: float) -> int:
    options = {"bootstrap.servers": address, "batch.size": batch, "compression.type": compression, "linger.ms": 5}
    producer = Producer({**options, "enable.idempotence": True, "log_level": 3})
    sent, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for number in range(sent, sent + EACH):
            try:
                producer.produce(TOPIC, VALUE, b'{"id": %d}' % number)
            except BufferError:  # its queue is full
                producer.poll(0.05)
                break
            sent += 1
        producer.poll(0)
    if left := producer.flush(60):
        raise RuntimeError(f"{left} records that warm the broker up were not delivered")
    return sent
