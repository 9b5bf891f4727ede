"""The topics of a run: made with the same settings for both sides, watched, counted, and removed.

They take the broker's time of appending as the records' timestamps: a clock that both sides share.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

TIMEOUT = 60
SETTINGS = {
    "message.timestamp.type": "LogAppendTime",
    "retention.ms": "-1",
    "file.delete.delay.ms": "1000",
    "max.message.bytes": "10485760",
}


@dataclass(frozen=True)
class Counted:
    """What stands in topics for a read-committed consumer.

    Attributes:
        records: how many.
        first, last: when the first and the last of them were appended, in seconds since the epoch.
        value_bytes: the mean length of values, of a sample.

    """

    records: int
    first: float
    last: float
    value_bytes: float


def create(address: str, names: Iterable[str], partitions: int) -> None:
    """Make topics."""
    wanted = [NewTopic(name, partitions, 1, config=SETTINGS) for name in names]
    admin = AdminClient({"bootstrap.servers": address, "log_level": 3})
    for future in admin.create_topics(wanted, operation_timeout=TIMEOUT).values():
        future.result(TIMEOUT)


def remove(address: str, prefix: str) -> None:
    """Delete all topics with the prefix in their name, and wait until they are gone."""
    admin = AdminClient({"bootstrap.servers": address, "log_level": 3})
    deadline = time.monotonic() + TIMEOUT
    while names := [name for name in admin.list_topics(timeout=TIMEOUT).topics if prefix in name]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the topics of {prefix} can't be deleted")
        for future in admin.delete_topics(names, operation_timeout=TIMEOUT).values():
            with contextlib.suppress(KafkaException):
                future.result(TIMEOUT)
        time.sleep(0.2)


def count(address: str, wanted: Iterable[str]) -> Counted:
    """Read topics to their end, as a read-committed consumer sees them."""
    consumer = _consumer(address, **{"enable.partition.eof": True})
    try:
        places = _places(consumer, set(wanted))
        consumer.assign(places)
        return _count_to_end(consumer, {(place.topic, place.partition) for place in places})
    finally:
        consumer.close()


def _count_to_end(consumer: Consumer, open_: set[tuple[str, int]]) -> Counted:
    records, first, last, sampled, sampled_bytes = 0, float("inf"), 0.0, 0, 0
    while open_:
        messages = consumer.consume(10_000, timeout=TIMEOUT)
        if not messages:
            raise TimeoutError(f"nothing came of {len(open_)} partitions for {TIMEOUT} s")
        good = [message for message in messages if message.error() is None]
        if len(good) < len(messages):
            open_ -= {_ended(message) for message in messages if message.error() is not None}
        if good:
            records += len(good)
            times = [message.timestamp()[1] for message in good]
            first, last = min(first, *times), max(last, *times)
            values = [len(message.value() or b"") for message in good[::100]]
            sampled, sampled_bytes = sampled + len(values), sampled_bytes + sum(values)
    return Counted(records, first / 1000, last / 1000, sampled_bytes / max(1, sampled))


def _ended(message: Message) -> tuple[str, int]:
    error = message.error()
    if error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001
        raise KafkaException(error)
    return message.topic(), message.partition()


def end_offsets(address: str, wanted: Iterable[str]) -> int:
    """The sum of the topics' last stable offsets: it stands still when nothing arrives any more."""
    consumer = _consumer(address)
    try:
        places = _places(consumer, set(wanted))
        return sum(consumer.get_watermark_offsets(place, timeout=TIMEOUT)[1] for place in places)
    finally:
        consumer.close()


def _places(consumer: Consumer, wanted: set[str]) -> list[TopicPartition]:
    found = consumer.list_topics(timeout=TIMEOUT).topics
    missing = wanted - found.keys()
    if missing:
        raise LookupError(f"the broker has no topic {min(missing)}")
    return [TopicPartition(name, number, 0) for name in wanted for number in found[name].partitions]


def _consumer(address: str, **options: Any) -> Consumer:
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


class Marker:
    """Notes when a topic's first record becomes visible to a read-committed consumer."""

    def __init__(self, address: str, topic: str) -> None:
        self.seen: float | None = None
        self._stop = threading.Event()
        self._consumer = _consumer(address)
        self._consumer.assign([TopicPartition(topic, 0, 0)])
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._consumer.close()

    def _run(self) -> None:
        while not self._stop.is_set() and self.seen is None:
            message = self._consumer.poll(0.2)
            if message is not None and message.error() is None:
                self.seen = time.time()
