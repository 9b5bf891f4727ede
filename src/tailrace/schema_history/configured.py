"""Opens the copy of the schema history that a configuration names: a file, a Kafka topic, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailrace.config.properties.history import KAFKA_HISTORY
from tailrace.schema.history import HistoryFile

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.schema_history.kafka_history import KafkaHistory


def schema_history_of(settings: Settings) -> HistoryFile | KafkaHistory | None:
    """The history that the configuration names; None if it names none.

    Raises:
        ConfigError: it names a topic, but no brokers.

    """
    topic, path = settings.schema_history_internal_kafka_topic, settings.schema_history_internal_file_filename
    if settings.schema_history_internal == KAFKA_HISTORY and topic:
        return _in_topic(settings, topic)
    return HistoryFile(path) if path else None


def _in_topic(settings: Settings, name: str) -> KafkaHistory:
    from tailrace.kafka.options import history_clients
    from tailrace.kafka.whole_topic import WholeTopic
    from tailrace.schema_history.kafka_history import KafkaHistory

    timeout = max(settings.schema_history_internal_kafka_create_timeout_ms, 1000) / 1000
    topic = WholeTopic(name=name, clients=history_clients(settings), what="the schema history", timeout=timeout)
    return KafkaHistory(topic)
