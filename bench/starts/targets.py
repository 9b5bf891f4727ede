"""The targets of the benchmark of starts: a target is looked at until it has one record more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition


class Target(Protocol):
    """Where records go."""

    text: str

    def arrival(self, topic: str) -> Callable[[], bool]:
        """A function that says whether a record has come into the topic since `arrival` was called; it may wait some ms."""


class Files:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.text = f"files:{folder}"
        self._folder = folder

    def arrival(self, topic: str) -> Callable[[], bool]:
        """Files are complete when they are there under their own names."""
        before = self._files(topic)
        return lambda: self._files(topic) > before

    def _files(self, topic: str) -> int:
        return sum(1 for file in (self._folder / topic).glob("**/*") if file.is_file() and not file.name.startswith((".", "_")))


class Kafka:
    """A broker, read as a consumer that sees committed records only."""

    def __init__(self, address: str) -> None:
        self.text = f"kafka:{address}"
        self._options = {
            "bootstrap.servers": address,
            "group.id": "bench-starts",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 10,
            "topic.metadata.refresh.interval.ms": 200,
        }

    def arrival(self, topic: str) -> Callable[[], bool]:
        """The topic must exist."""
        consumer = Consumer(self._options)
        consumer.assign([TopicPartition(topic, 0, OFFSET_END)])
        consumer.consume(1, timeout=2.0)  # it is at the end now

        def has_come() -> bool:
            found = consumer.poll(0.02)
            if found is None or (found.error() and found.error().code() == KafkaError._PARTITION_EOF):  # noqa: SLF001
                return False
            if found.error():
                raise KafkaException(found.error())
            consumer.close()
            return True

        return has_come
