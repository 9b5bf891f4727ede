"""Where notifications go: to a topic beside the events (`sink`), and to the log (`log`).

They go to the sink with the events, so that a chunk's notification is delivered with the chunk, or not at all. Debezium's
third channel, `jmx`, belongs to the JVM.

Source: Debezium documentation, "Enabling Debezium notifications", and the records of 3.6.1.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from tailrace.config.settings import Settings
from tailrace.errors import ConfigError
from tailrace.notifications.event import Notifications
from tailrace.notifications.model import Notification

SINK: Final = "sink"
LOG: Final = "log"

log = logging.getLogger(__name__)


class NotificationChannels:
    """The channels of `notification.enabled.channels`."""

    def __init__(self, settings: Settings) -> None:
        """Raise `ConfigError` if the sink's topic has no name."""
        enabled = settings.notification_enabled_channels
        self._logs = LOG in enabled
        self._topic = settings.notification_sink_topic_name if SINK in enabled else None
        if SINK in enabled and not self._topic:
            raise ConfigError(
                "notification.sink.topic.name is missing: notification.enabled.channels has sink, which needs a topic"
            )

    def send(self, notifications: Sequence[Notification], position: str, rank: int) -> Notifications | None:
        """Log notifications, and return the event for the sink, if it is enabled.

        Args:
            notifications: in order.
            position: the text of the position up to which everything is delivered.
            rank: the number of events before them in their batch.

        """
        if self._logs:
            for notification in notifications:
                log.info("[Notification Service]  %s", line(notification))
        if not self._topic or not notifications:
            return None
        return Notifications(self._topic, notifications, position, rank)


def line(notification: Notification) -> str:
    """The line of the `log` channel."""
    data = ", ".join(f"{name}={text}" for name, text in notification.additional_data.items())
    return (
        f"{{id='{notification.id}', aggregateType='{notification.aggregate_type}', type='{notification.type}', "
        f"additionalData={{{data}}}, timestamp={notification.timestamp}}}"
    )
