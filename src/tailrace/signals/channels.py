"""The signal channels beside the log: a file, a Kafka topic.

A channel's position is a *mark*, which is stored in the progress with the work that its signals requested. Signals of
the signal table need none: they have the log's position.
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
    """A signal, and the marks to store once it was handled."""

    signal: Signal
    marks: Mapping[str, Any]


class SignalChannels:
    """The enabled channels; without any it costs nothing.

    Attributes:
        marks: up to where `poll` has returned everything. Store them even without a signal: the topic's records
            for other connectors are not read again, and a topic that is read from its end gets a starting offset.

    """

    def __init__(self, settings: Settings, marks: Mapping[str, Any], *, lanes: int = 1) -> None:
        """Set up the channels, without polling them.

        Args:
            settings: which channels, and where they are.
            marks: of the committed progress.
            lanes: how many read the log in parallel. The file can have one reader: it waits while there are more, as
                while several lanes are brought to one position.

        Raises:
            ConfigError: an option of the topic's consumer is wrong.

        """
        self.marks: Mapping[str, Any] = dict(marks)
        enabled = settings.signal_enabled_channels
        self._file = _file(settings, self.marks) if Channel.FILE in enabled and lanes == 1 else None
        self._kafka = _kafka(settings, self.marks) if Channel.KAFKA in enabled else None
        self._polling = Polling(settings.signal_poll_interval_ms) if self._file or self._kafka else None

    def wait_ms(self, longest: int) -> int:
        """How long the caller may wait before the next poll is due; milliseconds, `longest` at most."""
        return longest if self._polling is None else min(longest, int(self._polling.milliseconds_left()) + 1)

    def poll(self) -> list[Received]:
        """New signals, if a poll is due; each is returned once.

        Store the marks of a channel's last signal when all of them were handled: a signal whose mark is not stored
        comes again with the next reader.

        Raises:
            ConfigError: a channel permanently can't be read.

        """
        if self._polling is None or not self._polling.is_due():
            return []
        return [*self._from_file(), *self._from_kafka()]

    def close(self) -> None:
        """Close the channels."""
        if self._kafka is not None:
            self._kafka.close()

    def _from_file(self) -> Iterator[Received]:
        """The file's signals; the last one has the mark, which counts once all that were read together are handled."""
        if self._file is None:
            return
        while (taken := self._file.read()) is not None:
            self._file.mark_handled(taken)
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
