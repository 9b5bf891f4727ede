"""Ignores the schema history topic if the target is not Kafka, so that no broker is needed.

Every example of Debezium's documentation names that topic, and Debezium's connectors require it. tailrace keeps the whole
history with the progress and commits it together with the records that were decoded with it; the topic is only a copy for
Debezium. Runs into files or to the console do without the copy, because the brokers of an example, or of a cluster that is
being left, may not be reachable. `tailrace offsets export` writes to the topic what it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve

from tailrace.config.documents import flatten
from tailrace.config.problems import Problems
from tailrace.config.properties.history import KAFKA_HISTORY
from tailrace.config.settings import Settings

_OF_TOPIC: Final = ("schema.history.internal.kafka.", "database.history.kafka.")
_CLASS: Final = ("schema.history.internal", "database.history")


def without_history_topic(document: Mapping[str, Any], settings: Settings) -> tuple[Mapping[str, Any], Settings]:
    """The document without the properties of the topic, and the settings with a warning about it.

    The settings still name the topic, because the commands that export and import the history use it.
    """
    topic = settings.schema_history_internal_kafka_topic
    if settings.schema_history_internal != KAFKA_HISTORY or not topic:
        return document, settings
    flat = flatten(document, Problems())
    kept = {name: text for name, text in flat.items() if not name.startswith(_OF_TOPIC) and name not in _CLASS}
    return kept, evolve(settings, warnings=(*settings.warnings, _warning(topic)))


def _warning(topic: str) -> str:
    return (
        f"schema.history.internal.kafka.topic: {topic} is neither read nor written, and its brokers are not asked for, as the "
        "target is not in Kafka: the schema history is kept with the progress; tailrace offsets export brings it into the topic"
    )
