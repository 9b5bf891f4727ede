"""The schema history in a Kafka topic, as Debezium keeps it, so that either can go on with the other's.

The topic has one partition, so that the order of its records is the order of the log; each record's value is one record
of the history as JSON, and it has no key. Where it is missing it is made as Debezium makes it: kept for ever, not
compacted, with the brokers' default replication.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final

import orjson

from tailrace.errors import ConfigError
from tailrace.kafka.whole_topic import WholeTopic
from tailrace.schema.history import HistoryRecord, identity, parsed_record, unseen

PARTITION: Final = 0
CONFIGS: Final = {"cleanup.policy": "delete", "retention.ms": str(2**63 - 1), "retention.bytes": "-1"}

log = logging.getLogger(__name__)


class KafkaHistory:
    """A schema history in a topic; what is appended is with the brokers when `append` returns.

    Records that are there already are not written again: after a restart the log is read from a little earlier.
    """

    def __init__(self, topic: WholeTopic) -> None:
        self._topic = topic
        self._seen: set[bytes] = set()
        self._loaded = False

    def __str__(self) -> str:
        return str(self._topic)

    def load(self) -> list[dict[str, Any]]:
        """All records, in order; none where the topic is missing. What is no record is passed over, as Debezium does."""
        partitions = self._partitions()
        values = [value for _, value in self._topic.read(partitions)]
        records = [record for number, value in enumerate(values) if (record := self._parsed(value, number)) is not None]
        self._seen, self._loaded = {identity(record) for record in records}, True
        return records

    def append(self, records: Iterable[HistoryRecord]) -> int:
        """Adds those records that are not there yet, durably; says how many."""
        if not self._loaded:
            self.load()
        fresh = unseen(records, self._seen)
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
