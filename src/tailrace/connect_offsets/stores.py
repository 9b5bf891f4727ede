"""Stores of Kafka Connect's offsets by name: `file:PATH`, `kafka:HOST:PORT[,HOST:PORT...]/TOPIC`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tailrace.connect_offsets.file import OffsetFile
from tailrace.errors import ConfigError

if TYPE_CHECKING:
    from tailrace.config.settings import Settings
    from tailrace.config.worker import Worker
    from tailrace.connect_offsets.topic import OffsetTopic

_KAFKA = "kafka:"
FORMS = "file:PATH (a standalone worker's offset.storage.file.filename) or kafka:HOST:PORT/TOPIC (offset.storage.topic)"


def place_of(worker: Worker, settings: Settings) -> str:
    """Where a worker keeps the connector's offsets: in a topic of the connector's own, if it has one.

    Raises:
        ConfigError: the worker's file does not say it.

    """
    place, own = worker.offsets(), settings.offsets_storage_topic
    return f"{place.rpartition('/')[0]}/{own}" if own and place.startswith(_KAFKA) else place


def require_own_topic(place: str, settings: Settings) -> None:
    """Refuse another topic than the connector's own: the worker copies to its topic only now and then.

    Raises:
        ConfigError: it is another one.

    """
    own = settings.offsets_storage_topic
    if own and place.startswith(_KAFKA) and place.rpartition("/")[2] != own:
        raise ConfigError(
            f"{place} is not where Kafka Connect looks for this connector's offsets: offsets.storage.topic is {own!r}; name "
            "that topic, or remove the property if the connector ran without it"
        )


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
    return OffsetTopic(WholeTopic(name=name, clients=clients, what="Kafka Connect's offsets", committed=True))
