"""A configuration whose schema history is in a Kafka topic, where the records go elsewhere: no broker is asked for then.

Debezium's documents name that topic in every example, and its connectors can't be without it. Here the progress has the whole
history, committed with the records that were read by it; the topic is a copy for Debezium. A target that is not in Kafka goes
without that copy, since the brokers of an example, or of a cluster that is to be left behind, need not be there.
`tailrace offsets export` brings into the topic what it lacks.
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
    """The document without what names the topic, and the settings that it stands for with a warning that says so.

    Those settings still know the topic: commands that bring the history there and back ask for it by them.
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
