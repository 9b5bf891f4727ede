"""Signals of a Kafka topic: partition 0, the records whose key is the connector's `topic.prefix`.

The topic's offset is part of tailrace's own progress, not of a consumer group: so a signal's effect and its
offset are stored together or not at all. If the progress has no offset yet, Debezium's comes from the group
`signal.kafka.groupId`, which is only read.

Unreachable brokers are a warning: a connector that delivers must not stop because nobody can signal to it.

Source: Debezium documentation, "Enabling Kafka signaling channel".
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from tailrace.kafka.background_errors import BackgroundErrors
from tailrace.kafka.client_errors import client_error, is_for_good
from tailrace.kafka.tokens import client_options
from tailrace.signals.model import Channel, Signal
from tailrace.signals.parsing import parse_message

PARTITION: Final = 0
FIRST_SECONDS: Final = 5.0  # the first poll also waits for the connection
ASKING_SECONDS: Final = 2.0
MOST: Final = 500  # signals per poll, so that the caller handles them soon
_DEFAULTS: Final = {
    "group.id": "kafka-signal",
    "isolation.level": "read_committed",
    "allow.auto.create.topics": "true",  # as in Java's consumer: the topic need not be created by hand
}
_OPTIONS: Final = {
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "error",  # an offset of the progress that no longer exists must be reported
}
_RESET: Final = "auto.offset.reset"
_FROM_END: Final = frozenset({"latest", "largest", "end"})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Received:
    """A signal, and the next offset once it was handled."""

    signal: Signal
    next_offset: int


class KafkaSignals:
    """The signal topic; not for two threads at once.

    Attributes:
        next_offset: up to where everything was read; None until that is known.

    """

    def __init__(
        self,
        options: Mapping[str, str],
        topic: str,
        prefix: str,
        *,
        next_offset: int | None = None,
        poll_timeout: float = 0.1,
    ) -> None:
        """Create the consumer, without waiting for anything.

        Args:
            options: librdkafka's for a consumer, with `group.id`; `auto.offset.reset` says where to begin if neither
                progress nor group has an offset.
            topic: `signal.kafka.topic`.
            prefix: the key of this connector's signals: `topic.prefix`.
            next_offset: from the progress.
            poll_timeout: seconds that a poll waits at most for records; the first one waits for the brokers, too.

        """
        self._place = TopicPartition(topic, PARTITION)
        self._key = prefix.encode()
        self._start = OFFSET_END if options.get(_RESET, "").lower() in _FROM_END else OFFSET_BEGINNING
        self._poll_timeout = poll_timeout
        self._background_errors = BackgroundErrors()
        self._consumer = Consumer(
            client_options({**_DEFAULTS, **options, **_OPTIONS, **self._background_errors.options})
        )
        self._asked = self._assigned = self._reached = False
        self._warned = ""
        self.next_offset = next_offset

    def read(self) -> list[Received]:
        """New signals; a bounded number, so that the caller handles them soon.

        Raises:
            ConfigError: the brokers refuse it permanently: a right is missing, the login failed.

        """
        deadline = time.monotonic() + (self._poll_timeout if self._asked else max(FIRST_SECONDS, self._poll_timeout))
        self._asked = True
        if not self._assigned and not self._assign(deadline):
            return []
        received: list[Received] = []
        for _ in range(MOST):
            message = self._consumer.poll(_left(deadline))
            if message is None or not self._take(message, received):
                break
        if not self._reached:
            self._warn(f"can't be read yet: {str(self._background_errors) or 'the brokers do not answer'}")
        return received

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()

    def _assign(self, deadline: float) -> bool:
        offset = self.next_offset if self.next_offset is not None else self._offset_of_group(deadline)
        if offset is None:
            return False
        self._begin_at(offset)
        return True

    def _begin_at(self, offset: int) -> None:
        self._consumer.assign([TopicPartition(self._place.topic, PARTITION, offset)])
        self._assigned = True

    def _offset_of_group(self, deadline: float) -> int | None:
        """Debezium's next offset; None while the group can't be queried."""
        try:
            (place,) = self._consumer.committed([self._place], timeout=_left(deadline))
        except KafkaException as error:
            return self._start if self._is_refused(error.args[0]) else None
        return place.offset if place.offset >= 0 else self._start

    def _is_refused(self, error: KafkaError) -> bool:
        """Whether the user may not read the group: then it has no offset, either. Warns about this or other errors."""
        if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            return True
        self._raise_unless_transient(error)
        return False

    def _take(self, message: Message, received: list[Received]) -> bool:
        """Whether there may be more."""
        error = message.error()
        if error is None:
            self._note(_offset(message) + 1)
            self._receive(message, received)
            return True
        if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 -- librdkafka's own codes are spelled so
            self._note(_offset(message))
            return False
        return self._go_on_after(error)

    def _note(self, next_offset: int) -> None:
        if not self._reached:
            self._look_at_partitions()
        self._reached, self._warned = True, ""
        self.next_offset = next_offset

    def _receive(self, message: Message, received: list[Received]) -> None:
        key, value = message.key(), message.value()
        if key != self._key:
            log.info("the signal topic %s: a record for %r is for another connector", self._place.topic, key)
        elif value:
            received.append(Received(parse_message(bytes(value), Channel.KAFKA), _offset(message) + 1))

    def _go_on_after(self, error: KafkaError) -> bool:
        if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            return True  # the group's offset was asked for, and is not needed
        if error.code() == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001
            self._warn(f"has no offset {self.next_offset} any more: it is read from its beginning")
            self._begin_at(OFFSET_BEGINNING)
            return True
        self._raise_unless_transient(error)
        return True

    def _raise_unless_transient(self, error: KafkaError) -> None:
        if is_for_good(error):
            raise client_error(error, f"the signal topic {self._place.topic} can't be read")
        self._warn(f"can't be read: {error.str()}")

    def _warn(self, what: str) -> None:
        """Warn once for each problem."""
        if what != self._warned:
            log.warning("the signal topic %s %s", self._place.topic, what)
        self._warned = what

    def _look_at_partitions(self) -> None:
        with suppress(KafkaException):  # it is only a hint
            found = self._consumer.list_topics(self._place.topic, timeout=ASKING_SECONDS).topics[self._place.topic]
            if len(found.partitions) > 1:
                log.warning(
                    "the signal topic %s has %d partitions: signals are read from partition 0 only, as Debezium does",
                    self._place.topic,
                    len(found.partitions),
                )


def _offset(message: Message) -> int:
    return message.offset() or 0


def _left(deadline: float) -> float:
    """Seconds, never less than none."""
    return max(deadline - time.monotonic(), 0.0)
