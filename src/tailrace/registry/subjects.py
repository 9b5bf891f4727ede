"""Subjects: under which names a registry of Confluent keeps schemas."""

from __future__ import annotations

import enum

from tailrace.errors import DeliveryError
from tailrace.registry.schemas import RegistrySchema


class Strategy(enum.Enum):
    """How a subject is named; the values are the names of Confluent's classes."""

    TOPIC = "TopicNameStrategy"
    RECORD = "RecordNameStrategy"
    TOPIC_RECORD = "TopicRecordNameStrategy"
    ASSOCIATED = "AssociatedNameStrategy"


def subject_of(strategy: Strategy, topic: str, part: str, schema: RegistrySchema) -> str:
    """The subject of a topic's keys or values (`part`); not with ASSOCIATED, which the registry knows.

    Raises:
        DeliveryError: the strategy needs the name of a record, and the schema is none.

    """
    if strategy is Strategy.TOPIC:
        return f"{topic}-{part}"
    name = schema.record_name
    if name is None:
        raise DeliveryError(
            f"{part}.subject.name.strategy: {strategy.value} names subjects by the record, and the {part} of topic {topic} is "
            f"none (its schema is {schema.text[:80]}): use TopicNameStrategy"
        )
    return name if strategy is Strategy.RECORD else f"{topic}-{name}"
