"""Reads change tables in this process, without Spark and without a sink."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.encoding import encoded
from support.encoding import records_of as encoded_of
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, LogBatch, LogRange, Progress

NOW_US = 1_767_225_600_000_000
PLAIN = {"key_converter_schemas_enable": "false", "value_converter_schemas_enable": "false"}


@dataclass
class Read:
    """What was read, and how far."""

    progress: Progress
    history: list[Mapping[str, Any]]
    records: list[dict[str, Any]] = field(default_factory=list)
    batches: int = 0

    def take(self, batch: LogBatch) -> None:
        """Have a batch's records and its progress."""
        self.records += records_of(batch)
        self.progress = batch.progress
        self.history = [*self.history, *batch.history]
        self.batches += 1

    def fresh(self) -> Read:
        """The same place, without records."""
        return Read(self.progress, list(self.history))

    def of(self, table: str) -> list[dict[str, Any]]:
        """The records of topics that end so."""
        return [record for record in self.records if record["topic"].endswith(table)]

    @property
    def by_topic(self) -> dict[str, list[dict[str, Any]]]:
        """The records of each topic, in their order."""
        found: dict[str, list[dict[str, Any]]] = {}
        for record in self.records:
            found.setdefault(record["topic"], []).append(record)
        return found


def begin(settings: Any) -> Read:
    """A connector that begins now."""
    point = connector_for(settings).start_point()
    return Read(point.progress, list(point.history))


def started(settings: Any) -> Read:
    """A connector that has told the structures of its beginning."""
    return read_on(settings, begin(settings)).fresh()


def batches(settings: Any, read: Read, lane: Lane = Lane(), until: Any = None) -> Iterator[LogBatch]:  # noqa: B008
    """The batches up to the head of now, or an end that is given; the time of processing stands still."""
    connector = connector_for(settings)
    end = connector.head() if until is None else until
    range_ = LogRange(read.progress.restart, end, NOW_US, lane)
    return encoded(connector.read(range_, read.progress, read.history), settings)


def read_on(settings: Any, read: Read, lane: Lane = Lane(), until: Any = None) -> Read:  # noqa: B008
    """Read to the head of now."""
    for batch in batches(settings, read, lane, until):
        read.take(batch)
    return read


def records_of(batch: LogBatch) -> list[dict[str, Any]]:
    """A batch's records as they would be compared."""
    return [
        {
            "topic": records.topic,
            "key": _json(records.keys[i]),
            "value": _json(records.values[i]),
            "position": (records.positions[i] or b"").decode(),
        }
        for records in encoded_of(batch)
        for i in range(len(records))
    ]


def told(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What happened, shortly: operation, before and after; a tombstone is None alone."""
    return [
        (each["value"]["op"], each["value"]["before"], each["value"]["after"]) if each["value"] else (None,)
        for each in records
    ]


def afters(read: Read, table: str = "dbo.t") -> list[Any]:
    """The rows after each change of a table."""
    return [after for _, _, after in told(read.of(table))]


def structures(read: Read) -> list[tuple[str, list[str]]]:
    """The schema-change events: what happened, and the columns then; none of a table that went."""
    changes = [
        record["value"]["tableChanges"][0] for record in read.records if "tableChanges" in (record["value"] or {})
    ]
    columns = [[] if change["table"] is None else change["table"]["columns"] for change in changes]
    return [(change["type"], [each["name"] for each in of]) for change, of in zip(changes, columns, strict=True)]


def _json(text: bytes | None) -> Any:
    return None if text is None else json.loads(text)
