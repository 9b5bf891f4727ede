"""Reading a partition of tailrace's topics: its newest record, or all of it, as committed now.

The newest record is searched from the end, because a long partition should cost nothing: the last offsets are read,
then a window four times as large, and so on. The end may hold transaction markers and records of
aborted transactions, neither of which a reader sees, so the distance to the newest record is unknown.

`settled` requests an answer that can no longer change: it waits until no transaction is open in the partition,
that is, until the last stable offset has reached the high watermark. A caller that has fenced all writers gets it
immediately.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import TopicMetadata  # type: ignore[attr-defined]

from tailrace.errors import ProgressError, RetriableError, TailraceError
from tailrace.kafka.background_errors import BackgroundErrors
from tailrace.kafka.client_errors import client_error
from tailrace.kafka.tokens import client_options

FIRST_WINDOW: Final = 32
GROWTH: Final = 4
PAUSE_SECONDS: Final = 0.02
POLL_SECONDS: Final = 0.5
_OPTIONS: Final = {
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "auto.offset.reset": "earliest",
    "allow.auto.create.topics": "false",
    # answer immediately, even if there is nothing: the consumer has a partition only during a call
    "fetch.wait.max.ms": "0",
}
_NOT_THERE: Final = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001 -- librdkafka's own codes are spelled so
        KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001
    }
)
_NOT_YET: Final = _NOT_THERE | {
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError._TRANSPORT,  # noqa: SLF001
    KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001
    KafkaError._TIMED_OUT,  # noqa: SLF001
    KafkaError._WAIT_COORD,  # noqa: SLF001
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One record."""

    offset: int
    key: bytes | None
    value: bytes | None


class Tail:
    """A consumer for such reads; not thread-safe."""

    def __init__(self, options: Mapping[str, str], *, timeout: float = 30.0) -> None:
        self._timeout = timeout
        self._background_errors = BackgroundErrors()
        self._consumer = Consumer(client_options({**options, **_OPTIONS, **self._background_errors.options}))
        self._newest: dict[tuple[str, int], tuple[int, Entry | None]] = {}

    def newest(self, topic: str, partition: int, *, settled: bool = False) -> Entry | None:
        """The last record of a partition; None if it has none."""
        deadline = time.monotonic() + self._timeout
        low, end = self._bounds(topic, partition, deadline)
        known = self._newest.get((topic, partition))
        if not settled and known is not None and known[0] == end:  # nothing was committed since the last search
            return known[1]
        return self._search(topic, partition, low, end, deadline, settled)

    def last(self, topic: str, partition: int, count: int) -> tuple[list[Entry], int]:
        """The records of a partition's last offsets, and the offset of the next one."""
        deadline = time.monotonic() + self._timeout
        low, end = self._bounds(topic, partition, deadline)
        return self._read(topic, partition, max(low, end - count), deadline, settled=False)

    def everything(self, topic: str, partition: int, *, settled: bool = False) -> list[Entry]:
        """All records of a partition."""
        deadline = time.monotonic() + self._timeout
        low, _ = self._bounds(topic, partition, deadline)
        return self._read(topic, partition, low, deadline, settled)[0]

    def topics(self, names: Sequence[str]) -> dict[str, TopicMetadata]:
        """The brokers' metadata of these topics; creates none."""
        if len(names) > 20:  # one request for all topics, instead of one for each
            found = self._metadata(None)
            return {name: found[name] for name in names if name in found}
        return {name: self._metadata(name)[name] for name in names}

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()

    def _search(self, topic: str, partition: int, low: int, end: int, deadline: float, settled: bool) -> Entry | None:
        window = FIRST_WINDOW
        while True:
            start = max(low, end - window)
            entries, reached = self._read(topic, partition, start, deadline, settled)
            if entries or start <= low:
                entry = entries[-1] if entries else None
                self._newest[topic, partition] = (reached, entry)
                return entry
            window *= GROWTH

    def _read(self, topic: str, partition: int, start: int, deadline: float, settled: bool) -> tuple[list[Entry], int]:
        """The records from an offset on, and the offset that was reached."""
        entries: list[Entry] = []
        while True:
            found, end, high = self._read_once(topic, partition, start, deadline)
            entries += found
            if not settled or end >= high:
                return entries, end
            if time.monotonic() > deadline:
                raise RetriableError(
                    f"partition {partition} of the topic {topic} is held up by a transaction of somebody else: "
                    f"its records are stable up to {end} of {high}; it ends by its timeout, or with "
                    "kafka-transactions.sh abort"
                )
            start = end
            time.sleep(PAUSE_SECONDS)

    def _read_once(self, topic: str, partition: int, start: int, deadline: float) -> tuple[list[Entry], int, int]:
        """The committed records from an offset on, the last stable offset and the high watermark."""
        place = TopicPartition(topic, partition, start)
        self._consumer.assign([place])
        try:
            entries: list[Entry] = []
            while not _is_end(message := self._next(place, deadline)):
                entries.append(_entry(message))
            end = message.offset() or 0
            _, high = self._consumer.get_watermark_offsets(place, cached=True)
            return entries, end, max(high, end)
        finally:
            self._consumer.unassign()

    def _next(self, place: TopicPartition, deadline: float) -> Message:
        """The next record, or the partition's end as a message with that error.

        One by one: for a batch, the consumer waits for the whole timeout even at the partition's end.
        """
        while True:
            message = self._consumer.poll(POLL_SECONDS)
            if message is None:
                if time.monotonic() > deadline:
                    raise self._silence(place)
            elif message.error() is None or _is_end(message):
                return message
            else:
                self._raise_unless_transient(message.error(), place, deadline)

    def _raise_unless_transient(self, error: KafkaError | None, place: TopicPartition, deadline: float) -> None:
        """Raise, except after a transient error."""
        if error is None or error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            return  # the group is only a name: no offset is read or stored under it
        if error.code() not in _NOT_YET:
            raise _complaint(error, place)
        if time.monotonic() > deadline:
            raise self._silence(place, error)

    def _bounds(self, topic: str, partition: int, deadline: float) -> tuple[int, int]:
        """The first offset and the last stable one."""
        place = TopicPartition(topic, partition)
        while True:
            try:
                bounds = self._consumer.get_watermark_offsets(place, timeout=self._timeout)
            except KafkaException as error:
                self._raise_unless_transient(error.args[0], place, deadline)
                time.sleep(PAUSE_SECONDS)
            else:
                if bounds is None:
                    raise self._silence(place)
                self._background_errors.forget()
                return bounds

    def _metadata(self, topic: str | None) -> dict[str, TopicMetadata]:
        what = "the brokers can't be asked about topics"
        return self._background_errors.topics(self._consumer, topic, self._timeout, what)

    def _silence(self, place: TopicPartition, error: KafkaError | None = None) -> TailraceError:
        """What to say when the time is over."""
        if error is not None and error.code() in _NOT_THERE:
            return _complaint(error, place)
        self._consumer.poll(0)  # else a refused login is not told: it comes as a background error
        said = f"no answer for {self._timeout:g} s" if error is None else error.str()
        return self._background_errors.complaint(_what(place), said)


def _is_end(message: Message) -> bool:
    error = message.error()
    return error is not None and error.code() == KafkaError._PARTITION_EOF  # noqa: SLF001


def _entry(message: Message) -> Entry:
    key, value = message.key(), message.value()
    return Entry(message.offset() or 0, None if key is None else bytes(key), None if value is None else bytes(value))


def _complaint(error: KafkaError, place: TopicPartition) -> TailraceError:
    if error.code() in _NOT_THERE:
        return ProgressError(f"{_what(place)}: it is not there; was the topic deleted while it was in use?")
    return client_error(error, _what(place))


def _what(place: TopicPartition) -> str:
    return f"partition {place.partition} of the topic {place.topic} can't be read"
