"""A lease in a separate topic, `__tailrace-lease.<prefix>`: one partition, with a retention of an hour.

It is not in the progress topic, whose partitions only the lanes' transactions may write. The driver
writes without a transaction, so it blocks no reader.

Kafka has no conditional write, but offsets serve as one: a record contains its expected offset, after the last one that
its writer had seen. It counts only at that offset. If anybody wrote in between, it is at a later one, does not count,
and its writer reads again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from attrs import evolve
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from tailrace.config.topic_creation import TopicCreation
from tailrace.errors import ConfigError, RetriableError
from tailrace.kafka.client_errors import client_error
from tailrace.kafka.options import Clients
from tailrace.kafka.tail import Entry, Tail
from tailrace.kafka.topics import Topics
from tailrace.sinks.lease import NoLeaseError, Record
from tailrace.sinks.lease_file import fields_of, record_of

ANSWER_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 5.0
LOOKED_AT: Final = 64  # records that do not count are rare
_AT: Final = "at"
_TOPIC: Final = {"cleanup.policy": "delete", "retention.ms": "3600000", "segment.bytes": str(1 << 20)}
_TRANSACTIONS: Final = ("transaction.timeout.ms", "delivery.timeout.ms", "linger.ms")


class LeaseTopic:
    """The lease of one connector's lanes."""

    def __init__(self, clients: Clients, topic: str, creation: TopicCreation) -> None:
        self._clients = clients
        self._topic = topic
        self._creation = creation
        self._is_there = False

    def read(self) -> Record | None:
        """The current record.

        Raises:
            NoLeaseError: the user has no rights on the topic.

        """
        self._prepare()
        return self._read()[0]

    def write(self, record: Record, *, after: Record | None) -> Record | None:
        """Write, unless the current record is not `after`."""
        found, end = self._read()
        if (found and found.version) != (after and after.version):
            return None
        try:
            self._send({**fields_of(record), _AT: end})
        except ConfigError as error:
            raise self._none(error) from error
        # read back: if somebody else's record is at this offset, ours is after it and does not count
        written = evolve(record, version=end)
        return written if self._read()[0] == written else None

    def close(self) -> None:
        """Close the connections."""
        self._tail.close()

    def _prepare(self) -> None:
        """Make sure that the topic exists; a refused login is raised first."""
        if self._is_there:
            return
        self._tail.topics([self._topic])
        try:
            Topics(self._clients.admin, self._tail, self._creation).ensure_own(self._topic, 1, 1, _TOPIC)
            self._read()
        except ConfigError as error:
            raise self._none(error) from error
        self._is_there = True

    def _none(self, error: ConfigError) -> NoLeaseError:
        return NoLeaseError(
            f"two runs at once will not notice each other before one takes over: {error}; create the topic {self._topic} with "
            "one partition, and let tailrace's user read and write it"
        )

    def _read(self) -> tuple[Record | None, int]:
        """The last record that counts, and the offset of the next record."""
        entries, end = self._tail.last(self._topic, 0, LOOKED_AT)
        counting = (fields for entry in reversed(entries) if (fields := _fields(entry)).get(_AT) == entry.offset)
        found = next((record_of(fields, version=fields[_AT]) for fields in counting), None)
        return found, end

    def _send(self, fields: Mapping[str, Any]) -> None:
        failed: list[KafkaError] = []

        def note(error: KafkaError | None, _: Message) -> None:
            if error is not None:
                failed.append(error)

        try:
            self._producer.produce(self._topic, json.dumps(fields).encode(), partition=0, on_delivery=note)
            left = self._producer.flush(WRITE_SECONDS * 2)
        except KafkaException as error:
            raise client_error(error.args[0], f"the topic {self._topic} can't be written to") from error
        if failed:
            raise client_error(failed[0], f"the topic {self._topic} can't be written to")
        if left:
            raise RetriableError(f"the topic {self._topic} can't be written to: no answer for {WRITE_SECONDS * 2:g} s")

    @cached_property
    def _tail(self) -> Tail:
        return Tail(self._clients.consumer, timeout=ANSWER_SECONDS)

    @cached_property
    def _producer(self) -> Producer:
        given = {name: value for name, value in self._clients.producer.items() if name not in _TRANSACTIONS}
        own = {"message.timeout.ms": int(WRITE_SECONDS * 1000), "linger.ms": 0, "log_level": 0}
        return Producer({**given, **own})


def _fields(entry: Entry) -> dict[str, Any]:
    with suppress(ValueError):
        fields = json.loads(entry.value or b"")
        if isinstance(fields, dict):
            return fields
    return {}
