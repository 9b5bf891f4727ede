"""Reads topics to their end, as a consumer does."""

import time
from dataclasses import dataclass, field

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

TIMEOUT = 60
OPEN_SECONDS = 0.5  # a commit is answered before its markers are in each partition; other transactions stay open
WAIT = 0.1  # `consume` always waits this long for a full batch


@dataclass(frozen=True)
class Read:
    """One record of a topic."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: dict[str, bytes | None] = field(default_factory=dict)


def read_topics(address, wanted, *, committed=True, options=None):
    """All records of the topics whose names `wanted` accepts (a function, or a collection), by partition, in order.

    `committed`: as a read-committed consumer sees them, up to the last stable offset; else with aborted ones.
    """
    accepts = wanted if callable(wanted) else set(wanted).__contains__
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "reading",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            **(options or {}),
        }
    )
    try:
        found = consumer.list_topics(timeout=TIMEOUT).topics
        places = [TopicPartition(t, p, 0) for t, meta in found.items() if accepts(t) for p in meta.partitions]
        return _read_to_end(consumer, places)
    finally:
        consumer.close()


def _read_to_end(consumer, places):
    if not places:
        return []
    consumer.assign(places)
    reads, open_ = [], {(place.topic, place.partition) for place in places}
    short = {}  # partitions that ended before their last record, each with the time until which more may come
    deadline = time.monotonic() + TIMEOUT
    while open_ or any(time.monotonic() < until for until in short.values()):
        messages = consumer.consume(10_000, timeout=WAIT)
        deadline = time.monotonic() + TIMEOUT if messages else deadline
        assert time.monotonic() < deadline, f"nothing came of {open_} for {TIMEOUT} s"
        for message in messages:
            error, place = message.error(), (message.topic(), message.partition())
            if error is None:
                reads.append(_read(message))
                short.pop(place, None)
                open_.add(place)
            elif error.code() == KafkaError._PARTITION_EOF:
                open_.discard(place)
                if message.offset() < consumer.get_watermark_offsets(TopicPartition(*place), cached=True)[1]:
                    short[place] = time.monotonic() + OPEN_SECONDS
            else:
                raise KafkaException(error)
    return sorted(reads, key=lambda read: (read.topic, read.partition, read.offset))


def _read(message):
    return Read(
        message.topic(),
        message.partition(),
        message.offset(),
        message.timestamp()[1],
        message.key(),
        message.value(),
        dict(message.headers() or ()),
    )
