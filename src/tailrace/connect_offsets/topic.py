"""Kafka Connect's offsets in a topic, as distributed workers use it (offset.storage.topic).

The topic is compacted: the last value of a key counts, and null removes the key. Connect reads all
partitions; a key always goes to the partition of Java's hash of it, so that its values stay in order.
"""

from __future__ import annotations

from typing import Final

from tailrace.kafka.whole_topic import WholeTopic

PARTITIONS: Final = 25  # Connect's default
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
        """The newest value of each key; none if there is no topic."""
        return {key: value for key, value in self._topic.read(self._topic.partitions()) if key is not None}

    def store(self, key: bytes, value: bytes) -> None:
        """Set a key's value; it is on the brokers when this returns."""
        if not self._topic.partitions():
            self._topic.create(PARTITIONS, CONFIGS)
        self._topic.append([(key, value)])  # to the partition of the key's hash, where Connect looks for it
