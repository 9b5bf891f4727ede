"""The topics of a run: created with the same settings for both sides, counted and removed.

Their records have the broker's append time as timestamp (LogAppendTime), a clock that both sides share.
"""

from __future__ import annotations

import contextlib
import time
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, TopicMetadata

TIMEOUT = 60
PATIENCE = 0.5
SETTINGS = {
    "message.timestamp.type": "LogAppendTime",
    "retention.ms": "-1",
    "file.delete.delay.ms": "1000",
    "max.message.bytes": "10485760",
    "segment.index.bytes": "131072",  # see below
}
"""An index file is mapped, empty, with all its bytes, and where a disk has a large `read_ahead_kb`, its first byte reads nearly all of
them: of the default, 10 MB, twice for each new partition. With 500 topics that was 8 to 20 of the broker's CPU seconds in each run."""


@dataclass(frozen=True)
class Counted:
    """The records in topics, as a read-committed consumer sees them.

    Attributes:
        records: their number.
        first, last: when the first and the last of them were appended, in seconds since the epoch.
        value_bytes: the mean length of values, of a sample.
        by_topic: their number in each topic.
        distinct_keys: the number of different keys in all topics; 0 if that was not requested.

    """

    records: int
    first: float
    last: float
    value_bytes: float
    by_topic: Mapping[str, int]
    distinct_keys: int = 0


def create(address: str, names: Iterable[str], partitions: int) -> None:
    """Create topics."""
    wanted = [NewTopic(name, partitions, 1, config=SETTINGS) for name in names]
    admin = AdminClient({"bootstrap.servers": address, "log_level": 3})
    for future in admin.create_topics(wanted, operation_timeout=TIMEOUT).values():
        future.result(TIMEOUT)
    missing = {topic.topic for topic in wanted}
    deadline = time.monotonic() + TIMEOUT
    while missing:
        found = admin.list_topics(timeout=TIMEOUT).topics
        missing = {name for name in missing if name not in found or not _has_leaders(found[name])}
        if time.monotonic() > deadline:
            raise TimeoutError(f"the topic {min(missing)} does not appear")


def _has_leaders(topic: TopicMetadata) -> bool:
    return bool(topic.partitions) and all(partition.leader >= 0 for partition in topic.partitions.values())


def remove(address: str, prefix: str) -> None:
    """Delete all topics with the prefix in their name, and wait until they no longer exist."""
    admin = AdminClient({"bootstrap.servers": address, "log_level": 3})
    deadline = time.monotonic() + TIMEOUT
    while names := [name for name in admin.list_topics(timeout=TIMEOUT).topics if prefix in name]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the topics of {prefix} can't be deleted")
        for future in admin.delete_topics(names, operation_timeout=TIMEOUT).values():
            with contextlib.suppress(KafkaException):
                future.result(TIMEOUT)
        time.sleep(0.2)


def count(address: str, wanted: Iterable[str], *, keys: bool = False) -> Counted:
    """Count the records of topics, as a read-committed consumer sees them; `keys`: count distinct keys too."""
    tally = _Tally(keys=keys)
    for messages in batches(address, wanted):
        tally.add(messages)
    return tally.counted()


def batches(address: str, wanted: Iterable[str], partitions: Collection[int] | None = None) -> Iterator[list[Message]]:
    """The records of topics, or of some of their partitions, up to the end, as a read-committed consumer sees them."""
    consumer = new_consumer(address, **{"enable.partition.eof": True})
    try:
        places = [
            place for place in places_of(consumer, set(wanted)) if partitions is None or place.partition in partitions
        ]
        consumer.assign(places)
        yield from _to_end(consumer, {(place.topic, place.partition) for place in places})
    finally:
        consumer.close()


def _to_end(consumer: Consumer, open_: set[tuple[str, int]]) -> Iterator[list[Message]]:
    deadline = time.monotonic() + TIMEOUT
    while open_:
        messages = consumer.consume(10_000, timeout=PATIENCE)  # returns early only with that many records
        if not messages:
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing came of {len(open_)} partitions for {TIMEOUT} s")
            continue
        deadline = time.monotonic() + TIMEOUT
        good = [message for message in messages if message.error() is None]
        if len(good) < len(messages):
            open_ -= {_ended(message) for message in messages if message.error() is not None}
        if good:
            yield good


class _Tally:
    """Counts records as they are read."""

    def __init__(self, *, keys: bool) -> None:
        self._records: Counter[str] = Counter()
        self._first, self._last = float("inf"), 0.0
        self._sampled = self._sampled_bytes = 0
        self._keys = array("q") if keys else None

    def add(self, messages: list[Message]) -> None:
        topics = [message.topic() for message in messages]
        self._records.update(topics)
        times = [message.timestamp()[1] for message in messages]
        self._first, self._last = min(self._first, *times), max(self._last, *times)
        values = [len(message.value() or b"") for message in messages[::100]]
        self._sampled, self._sampled_bytes = self._sampled + len(values), self._sampled_bytes + sum(values)
        if self._keys is not None:
            self._keys.extend(hash((topic, message.key())) for topic, message in zip(topics, messages, strict=True))

    def counted(self) -> Counted:
        return Counted(
            self._records.total(),
            self._first / 1000,
            self._last / 1000,
            self._sampled_bytes / max(1, self._sampled),
            dict(self._records),
            0 if self._keys is None else len(np.unique(np.frombuffer(self._keys, np.int64))),
        )


def _ended(message: Message) -> tuple[str, int]:
    error = message.error()
    if error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001
        raise KafkaException(error)
    return message.topic(), message.partition()


def end_offsets(address: str, wanted: Iterable[str]) -> int:
    """The sum of the topics' last stable offsets, which is constant when nothing arrives any more."""
    consumer = new_consumer(address)
    try:
        places = places_of(consumer, set(wanted))
        return sum(consumer.get_watermark_offsets(place, timeout=TIMEOUT)[1] for place in places)
    finally:
        consumer.close()


def places_of(consumer: Consumer, wanted: set[str]) -> list[TopicPartition]:
    """The beginnings of all partitions of topics."""
    found = consumer.list_topics(timeout=TIMEOUT).topics
    missing = wanted - found.keys()
    if missing:
        raise LookupError(f"the broker has no topic {min(missing)}")
    return [TopicPartition(name, number, 0) for name in wanted for number in found[name].partitions]


def new_consumer(address: str, **options: Any) -> Consumer:
    """A read-committed consumer that begins at the earliest offset."""
    return Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "bench-into-kafka",
            "log_level": 3,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            **options,
        }
    )
