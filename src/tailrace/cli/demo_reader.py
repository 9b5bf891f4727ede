"""The demo's reader: shows what a read-committed consumer reads from Kafka.

It assigns itself the partitions of the connector's topics as they appear, from their beginning, and counts the changes
and duplicates that it reads. A change is identified by its position in the database's log. When
it is stopped it reads on to the ends of the partitions, so that it does not miss late records.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from tailrace.cli.demo_avro import as_json
from tailrace.errors import TailraceError

BATCH = 1000
WAIT = 0.05  # a batch that is not full is waited for this long
SECONDS_BETWEEN_LOOKS = 0.5
METADATA_SECONDS = 10
END_SECONDS = 30


def from_json(message: bytes | None) -> Any:
    """The value of a message that is JSON; None for one that is missing."""
    return orjson.loads(message or b"null")


class Reader(threading.Thread):
    """Reads all topics of a prefix until stopped; `show` is called with each record as a line of JSON.

    Args:
        options: of a consumer.
        prefix: the connector's `topic.prefix`.
        show: called with each record.
        decoded: makes a value of the bytes of a key or value.

    """

    def __init__(
        self,
        options: Mapping[str, str],
        prefix: str,
        show: Callable[[str], None],
        decoded: Callable[[bytes | None], Any] = from_json,
    ) -> None:
        super().__init__(daemon=True, name="demo-reader")
        self.records = 0
        self.repeated = 0
        self.error: Exception | None = None
        self._prefix = prefix
        self._show = show
        self._decoded = decoded
        self._changes: set[tuple[Any, ...]] = set()
        self._next: dict[tuple[str, int], int] = {}
        self._at_end: set[tuple[str, int]] = set()
        self._looked_at = -SECONDS_BETWEEN_LOOKS
        self._stopping = threading.Event()
        self._consumer = Consumer({**options, **_READ_COMMITTED, "group.id": f"tailrace-demo-{prefix}"})

    @property
    def changes(self) -> int:
        """How many different changes came."""
        return len(self._changes)

    def run(self) -> None:
        """Read until stopped; an error ends it and is kept."""
        try:
            while not self._stopping.is_set():
                self._look_for_topics()
                self._read()
            self._read_to_the_ends()
        except Exception as error:  # noqa: BLE001
            self.error = error
        finally:
            self._consumer.close()

    def stop(self) -> None:
        """Read to the end of what there is, then end."""
        self._stopping.set()
        if self.is_alive():
            self.join()

    def _look_for_topics(self) -> None:
        now = time.monotonic()
        if now - self._looked_at < SECONDS_BETWEEN_LOOKS:
            return
        self._looked_at = now
        new = sorted(self._found() - self._next.keys())
        if new:
            self._next.update(dict.fromkeys(new, 0))
            self._consumer.incremental_assign([TopicPartition(*place, 0) for place in new])

    def _found(self) -> set[tuple[str, int]]:
        topics = self._consumer.list_topics(timeout=METADATA_SECONDS).topics
        return {(name, part) for name, topic in topics.items() if self._is_ours(name) for part in topic.partitions}

    def _read_to_the_ends(self) -> None:
        """Read to the ends: after a new assignment every partition reports its end again."""
        self._next.update(dict.fromkeys(self._found() - self._next.keys(), 0))
        self._consumer.assign([TopicPartition(*place, offset) for place, offset in self._next.items()])
        self._at_end.clear()
        deadline = time.monotonic() + END_SECONDS
        while self._next.keys() - self._at_end:
            if time.monotonic() > deadline:
                raise TailraceError(f"the demo's consumer does not reach the end of its topics within {END_SECONDS} s")
            self._read()

    def _read(self) -> None:
        for message in self._consumer.consume(BATCH, timeout=WAIT):
            self._take(message)

    def _is_ours(self, topic: str) -> bool:
        return topic == self._prefix or topic.startswith(f"{self._prefix}.")

    def _take(self, message: Message) -> None:
        error, place = message.error(), (str(message.topic()), int(message.partition() or 0))
        if error is not None and error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 -- its name is public
            self._at_end.add(place)
            return
        if error is not None:
            raise KafkaException(error)
        self._next[place] = int(message.offset() or 0) + 1
        self.records += 1
        value = self._decoded(message.value())
        self._count(str(message.topic()), value)
        record = {"topic": message.topic(), "key": self._decoded(message.key()), "value": value}
        self._show(orjson.dumps(record, default=as_json).decode())

    def _count(self, topic: str, value: Any) -> None:
        if not isinstance(value, Mapping) or "op" not in value:
            return  # a tombstone, a schema change, transaction metadata
        source = value["source"]
        change = (topic, *(source.get(name) for name in _PLACE), value["op"])
        self.repeated += change in self._changes
        self._changes.add(change)

    def check(self, written: int) -> None:
        """Raise unless every change that was written came, and came once."""
        if self.error is not None:
            raise self.error
        if self.changes != written or self.repeated:
            raise TailraceError(
                f"{written} rows were changed, but a read-committed consumer got {self.changes} changes, "
                f"{self.repeated} of them more than once"
            )


_PLACE = ("file", "pos", "row", "commit_lsn", "change_lsn", "event_serial_no")  # MySQL's, and SQL Server's
_READ_COMMITTED = {
    "isolation.level": "read_committed",
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "auto.offset.reset": "earliest",
    "fetch.wait.max.ms": 100,
    "log_level": 0,
}
