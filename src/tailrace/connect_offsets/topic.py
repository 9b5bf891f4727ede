"""Kafka Connect's offsets in a topic: what a distributed cluster of workers uses (offset.storage.topic).

The topic is compacted: the last value of a key counts, and null takes the key away. Connect reads all of its
partitions; a key always goes to the partition that Java's hash of it says, so that its values stay in order.
"""

from __future__ import annotations

from typing import Final

from tailrace.kafka.whole_topic import WholeTopic

PARTITIONS: Final = 25  # as Connect makes it
CONFIGS: Final = {"cleanup.policy": "compact"}


class OffsetTopic:
    """The topic that `offset.storage.topic` names."""

    def __init__(self, topic: WholeTopic) -> None:
        self._topic = topic

    def __str__(self) -> str:
        return f"the topic {self._topic.name}"

    def exists(self) -> bool:
        """Whether there is such a topic."""
        return bool(self._topic.partitions())

    def load(self) -> dict[bytes, bytes | None]:
        """The newest value of each key; none where there is no topic."""
        return {key: value for key, value in self._topic.read(self._topic.partitions()) if key is not None}

    def store(self, key: bytes, value: bytes) -> None:
        """Give a key a new value; it is with the brokers when this returns."""
        if not self._topic.partitions():
            self._topic.create(PARTITIONS, CONFIGS)
        self._topic.append([(key, value)])
