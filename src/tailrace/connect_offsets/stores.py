"""Stores of Kafka Connect's offsets by name: `file:PATH`, `kafka:HOST:PORT[,HOST:PORT...]/TOPIC`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.connect_offsets.file import OffsetFile
from tailrace.errors import ConfigError

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.connect_offsets.topic import OffsetTopic

FORMS = "file:PATH (a standalone worker's offset.storage.file.filename) or kafka:HOST:PORT/TOPIC (offset.storage.topic)"


def open_store(place: str, settings: Settings) -> OffsetFile | OffsetTopic:
    """The named store; for Kafka with the security settings of the connector's configuration.

    Raises:
        ConfigError: it is not such a name.

    """
    kind, _, rest = place.partition(":")
    if kind == "file" and rest:
        return OffsetFile(Path(rest))
    servers, _, topic = rest.partition("/")
    if kind == "kafka" and servers and topic:
        return _topic(servers, topic, settings)
    raise ConfigError(f"{place!r} names no place of Kafka Connect's offsets: use {FORMS}")


def _topic(servers: str, name: str, settings: Settings) -> OffsetTopic:
    from tailrace.connect_offsets.topic import OffsetTopic
    from tailrace.kafka.options import sink_clients
    from tailrace.kafka.whole_topic import WholeTopic

    clients = sink_clients(servers, settings)
    return OffsetTopic(WholeTopic(name=name, clients=clients, what="Kafka Connect's offsets"))
