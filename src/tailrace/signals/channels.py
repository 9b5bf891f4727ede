"""The channels that signals come through beside the log: a file, a Kafka topic.

How far each was read is a *mark*, which belongs into the progress with what its signals asked for. Signals of the signal
table need none: the log's own position is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tailrace.config.settings import Settings
from tailrace.signals.model import Channel, Signal
from tailrace.signals.polling import Polling

if TYPE_CHECKING:
    from tailrace.signals.file import FileSignals
    from tailrace.signals.kafka_topic import KafkaSignals

KAFKA: Final = "kafka"
FILE: Final = "file"


@dataclass(frozen=True, slots=True)
class Received:
    """A signal, and the marks that are to be kept once it was handled."""

    signal: Signal
    marks: Mapping[str, Any]


class SignalChannels:
    """The enabled channels; without any it costs nothing.

    Attributes:
        marks: up to where everything was given by `poll`. They are worth keeping also where no signal came: what the topic
            holds for other connectors is not read again, and one that is read from its end has a beginning.

    """

    def __init__(self, settings: Settings, marks: Mapping[str, Any], *, lanes: int = 1) -> None:
        """Nothing is looked into yet.

        Args:
            settings: which channels, and where they are.
            marks: of the progress, which is committed.
            lanes: how many read the log side by side. The file can have one reader: it waits while they are more, which is
                so for the moment in which they are brought together.

        Raises:
            ConfigError: an option of the topic's consumer is wrong.

        """
        self.marks: Mapping[str, Any] = dict(marks)
        enabled = settings.signal_enabled_channels
        self._file = _file(settings, self.marks) if Channel.FILE in enabled and lanes == 1 else None
        self._kafka = _kafka(settings, self.marks) if Channel.KAFKA in enabled else None
        self._polling = Polling(settings.signal_poll_interval_ms) if self._file or self._kafka else None

    def wait_ms(self, longest: int) -> int:
        """How long to wait for something else, so that the next look is in time; milliseconds."""
        return longest if self._polling is None else min(longest, int(self._polling.milliseconds_left()) + 1)

    def poll(self) -> list[Received]:
        """The signals that have come in, if it is time to look; each is given once.

        The marks of the last one of a channel are kept when all of them were handled: what is handled and not kept comes
        again with the next reader.

        Raises:
            ConfigError: a channel can't be read, and won't be.

        """
        if self._polling is None or not self._polling.is_due():
            return []
        return [*self._from_file(), *self._from_kafka()]

    def close(self) -> None:
        """Let go of the channels."""
        if self._kafka is not None:
            self._kafka.close()

    def _from_file(self) -> Iterator[Received]:
        """A mark counts once all signals that were taken together are handled: the last one has it."""
        if self._file is None:
            return
        while (taken := self._file.read()) is not None:
            self._file.done(taken)
            before, self.marks = self.marks, {**self.marks, FILE: taken.mark}
            last = len(taken.signals) - 1
            yield from (Received(each, self.marks if i == last else before) for i, each in enumerate(taken.signals))

    def _from_kafka(self) -> Iterator[Received]:
        if self._kafka is None:
            return
        for received in self._kafka.read():
            yield Received(received.signal, {**self.marks, KAFKA: received.next_offset})
        if self._kafka.next_offset is not None:
            self.marks = {**self.marks, KAFKA: self._kafka.next_offset}


def _file(settings: Settings, marks: Mapping[str, Any]) -> FileSignals:
    from tailrace.signals.file import FileSignals  # only where it is wanted

    return FileSignals(settings.signal_file, marks.get(FILE))


def _kafka(settings: Settings, marks: Mapping[str, Any]) -> KafkaSignals:
    from tailrace.kafka.options import signal_consumer  # only where it is wanted
    from tailrace.signals.kafka_topic import KafkaSignals

    return KafkaSignals(
        signal_consumer(settings),
        settings.signal_kafka_topic,
        settings.topic_prefix,
        next_offset=marks.get(KAFKA),
        poll_timeout=settings.signal_kafka_poll_timeout_ms / 1000,
    )
