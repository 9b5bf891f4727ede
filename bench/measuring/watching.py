"""Watches topics while a side runs: when a marker becomes visible, and how many records are visible."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from bench.measuring.topics import TIMEOUT, new_consumer, places_of
from confluent_kafka import KafkaException, TopicPartition


class Watcher:
    """A context that polls in a thread of its own, with a read-committed consumer."""

    def __init__(self, address: str) -> None:
        self._consumer = new_consumer(address)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._end()
        self._consumer.close()

    def _run(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        """Poll a last time."""


class Marker(Watcher):
    """Records when a topic's first record becomes visible to a read-committed consumer."""

    def __init__(self, address: str, topic: str) -> None:
        super().__init__(address)
        self.seen: float | None = None
        self._consumer.assign([TopicPartition(topic, 0, 0)])

    def _run(self) -> None:
        while not self._stop.is_set() and self.seen is None:
            message = self._consumer.poll(0.2)
            if message is not None and message.error() is None:
                self.seen = time.time()


@dataclass(frozen=True)
class Sight:
    """How much was visible at one time.

    Attributes:
        at: seconds since the epoch.
        ticks: nanoseconds of the machine's monotonic clock.
        offsets: the sum of the partitions' last stable offsets; each transaction's marker takes an offset too.

    """

    at: float
    ticks: int
    offsets: int


class Watch(Watcher):
    """Records ten times a second how much of some topics is visible to a read-committed consumer."""

    def __init__(self, address: str, names: Iterable[str], interval: float = 0.1) -> None:
        super().__init__(address)
        self._places = places_of(self._consumer, set(names))
        self._interval = interval
        self._sights = [Sight(time.time(), time.monotonic_ns(), 0)]

    @property
    def offsets(self) -> int:
        """The newest sum of offsets."""
        return self._sights[-1].offsets

    @property
    def first(self) -> Sight | None:
        """The first sight with a record; None if there is none yet."""
        return next((sight for sight in self._sights if sight.offsets), None)

    @property
    def settled(self) -> Sight:
        """The first sight with everything that is visible now."""
        return next(sight for sight in self._sights if sight.offsets == self.offsets)

    def at(self, ticks: int) -> int:
        """The last sum of offsets before a time of the monotonic clock."""
        return max((sight.offsets for sight in self._sights if sight.ticks <= ticks), default=0)

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            with contextlib.suppress(KafkaException):  # the broker is busy; a later poll will succeed
                self._note()

    def _end(self) -> None:
        self._note()

    def _note(self) -> None:
        sight = self._look()
        if sight.offsets != self.offsets:
            self._sights.append(sight)

    def _look(self) -> Sight:
        ends = [self._consumer.get_watermark_offsets(place, timeout=TIMEOUT)[1] for place in self._places]
        return Sight(time.time(), time.monotonic_ns(), sum(ends))
