"""Where notifications go: to a topic beside the events (`sink`), and to the log (`log`).

As in Debezium, the records' schemas keep Debezium's names whatever `schema.name.adjustment.mode` says. They go to the
sink with the events, so that a chunk's notification is delivered with the chunk, or not at all. Debezium's third
channel, `jmx`, belongs to the JVM.

Source: Debezium documentation, "Enabling Debezium notifications", and the records of 3.6.1.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import numpy as np

from tailrace.changes.records import Binary, Records
from tailrace.config.settings import Settings
from tailrace.encoding.connect_json import message_json
from tailrace.errors import ConfigError
from tailrace.notifications.model import Notification
from tailrace.schema.connect import Field, Schema, Type

SINK: Final = "sink"
LOG: Final = "log"

_STRING: Final = Schema(Type.STRING)
NOTIFICATION_KEY: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.NotificationKey",
    version=1,
    fields=(Field("id", _STRING),),
)
NOTIFICATION_VALUE: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.Notification",
    version=1,
    fields=(
        Field("id", _STRING),
        Field("type", _STRING),
        Field("aggregate_type", _STRING),
        Field("additional_data", Schema(Type.MAP, optional=True, keys=_STRING, items=_STRING)),
        Field("timestamp", Schema(Type.INT64)),
    ),
)

log = logging.getLogger(__name__)


class NotificationChannels:
    """The channels of `notification.enabled.channels`."""

    def __init__(self, settings: Settings) -> None:
        """Raise `ConfigError` if the sink's topic has no name."""
        enabled = settings.notification_enabled_channels
        self._logs = LOG in enabled
        self._encoder = NotificationEncoder(settings) if SINK in enabled else None

    def tell(self, notifications: Sequence[Notification], position: str, rank: int) -> Records | None:
        """Log notifications, and return the records for the sink, if it is enabled.

        Args:
            notifications: in their order.
            position: the text of the position up to which everything is delivered.
            rank: how many events came before them in their batch.

        """
        if self._logs:
            for notification in notifications:
                log.info("[Notification Service]  %s", line(notification))
        if self._encoder is None or not notifications:
            return None
        return self._encoder.records(notifications, position, rank)


class NotificationEncoder:
    """Renders notifications as records of `notification.sink.topic.name`."""

    def __init__(self, settings: Settings) -> None:
        """Raise `ConfigError` if the topic has no name."""
        if not settings.notification_sink_topic_name:
            raise ConfigError(
                "notification.sink.topic.name is missing: notification.enabled.channels has sink, which needs a topic"
            )
        self.topic = settings.notification_sink_topic_name
        self._key_schema = settings.key_converter_schemas_enable
        self._value_schema = settings.value_converter_schemas_enable

    def records(self, notifications: Sequence[Notification], position: str, rank: int) -> Records:
        """A record for each; see `NotificationChannels.tell`."""
        n = len(notifications)
        return Records(
            topic=self.topic,
            keys=_binary([self._key(each) for each in notifications]),
            values=_binary([self._value(each) for each in notifications]),
            timestamps=np.array([each.timestamp for each in notifications], np.int64),
            positions=_binary([position.encode()] * n),
            log_order=(rank << 32) + np.arange(n, dtype=np.int64),
        )

    def _key(self, notification: Notification) -> bytes:
        return message_json(NOTIFICATION_KEY, {"id": notification.id}, with_schema=self._key_schema)

    def _value(self, notification: Notification) -> bytes:
        fields = {
            "id": notification.id,
            "type": notification.type,
            "aggregate_type": notification.aggregate_type,
            "additional_data": notification.additional_data,
            "timestamp": notification.timestamp,
        }
        return message_json(NOTIFICATION_VALUE, fields, with_schema=self._value_schema)


def line(notification: Notification) -> str:
    """The line of the `log` channel."""
    data = ", ".join(f"{name}={text}" for name, text in notification.additional_data.items())
    return (
        f"{{id='{notification.id}', aggregateType='{notification.aggregate_type}', type='{notification.type}', "
        f"additionalData={{{data}}}, timestamp={notification.timestamp}}}"
    )


def _binary(texts: Sequence[bytes]) -> Binary:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return Binary(np.frombuffer(b"".join(texts), np.uint8), offsets)
