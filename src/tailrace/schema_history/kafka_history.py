"""The schema history in a Kafka topic, in Debezium's format, so that each can continue with the other's topic.

The topic has one partition, because its records must be in log order. A record's value is a history record as JSON; it has no
key. A missing topic is created as Debezium creates it: unlimited retention, no compaction, the brokers' default
replication factor.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final

import orjson

from tailrace.errors import ConfigError
from tailrace.kafka.whole_topic import WholeTopic
from tailrace.schema.history import HistoryRecord, new_records, parsed_record

PARTITION: Final = 0
CONFIGS: Final = {"cleanup.policy": "delete", "retention.ms": str(2**63 - 1), "retention.bytes": "-1"}

log = logging.getLogger(__name__)


class KafkaHistory:
    """A schema history in a topic; the brokers have acknowledged the records when `append` returns.

    Records that are in the topic already are not written again: after a restart the log is read from the restart position,
    which is before some of them. A writer that stood still while another took its place does not know that one's, and writes
    them once more. Nothing prevents that in a topic, so of equal records the first one counts.
    """

    def __init__(self, topic: WholeTopic) -> None:
        self._topic = topic
        self._seen: set[bytes] = set()
        self._loaded = False

    def __str__(self) -> str:
        return str(self._topic)

    def load(self) -> list[dict[str, Any]]:
        """All records, in order, the first of equal ones; none if the topic is missing.

        As in Debezium, values that are no records are skipped.
        """
        partitions = self._partitions()
        values = [value for _, value in self._topic.read(partitions)]
        records = [record for number, value in enumerate(values) if (record := self._parsed(value, number)) is not None]
        found = new_records(records, ())
        self._seen, self._loaded = set(found), True
        return list(found.values())

    def append(self, records: Iterable[HistoryRecord]) -> int:
        """Append the records that the topic lacks, durably. Returns how many."""
        if not self._loaded:
            self.load()
        fresh = new_records(records, self._seen)
        if fresh:
            if not self._partitions():
                self._topic.create(1, CONFIGS)
            self._topic.append([(None, orjson.dumps(record)) for record in fresh.values()], PARTITION)
            self._seen.update(fresh)
        return len(fresh)

    def _partitions(self) -> list[int]:
        partitions = self._topic.partitions()
        if len(partitions) > 1:
            raise ConfigError(
                f"{self} has {len(partitions)} partitions; it must have one, or the order of its records is lost: make a "
                "topic with one partition, copy the records over in their order, and name it in "
                "schema.history.internal.kafka.topic"
            )
        return partitions

    def _parsed(self, value: bytes | None, number: int) -> dict[str, Any] | None:
        record = None if value is None else parsed_record(value)
        if record is None:
            log.warning(
                "%s: record %d is no record of a schema history, and is passed over: %.80r", self, number, value
            )
        return record
