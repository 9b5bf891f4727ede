"""tailrace as a function: the same properties in, records out, in this process and without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.differential.records import Record, loads

from support.encoding import records_of
from tailrace.changes.records import Records
from tailrace.connectors import connector_for
from tailrace.connectors.base import LogRange, Progress, StartPoint
from tailrace.connectors.load import from_mapping

ENGINE_ONLY = ("offset.",)  # where Debezium's embedded engine keeps its offsets


def start_point(properties: Mapping[str, str]) -> StartPoint:
    """Where a new connector with these properties would begin now."""
    return connector_for(_settings(properties)).start_point()


def read(properties: Mapping[str, str], start: StartPoint, marker: str) -> list[Record]:
    """The records from `start` up to the first of the topic `marker`."""
    connector = connector_for(_settings(properties))
    range_ = LogRange(start.restart, connector.head())
    placed: list[tuple[bytes, Record]] = []
    for batch in connector.read(range_, Progress("", start.restart), start.history):
        placed += (pair for records in records_of(batch, connector.settings) for pair in _placed(records))
        end = min((place for place, record in placed if record.topic == marker), default=None)
        if end is not None:
            return [record for place, record in placed if place <= end]
    return [record for _, record in placed]


def _settings(properties: Mapping[str, str]) -> Any:
    """Debezium's engine writes headers as JSON, unlike a Kafka Connect worker by default."""
    given = {k: v for k, v in properties.items() if not k.startswith(ENGINE_ONLY)}
    return from_mapping({"header.converter": "org.apache.kafka.connect.json.JsonConverter", **given})


def _placed(records: Records) -> Iterator[tuple[bytes, Record]]:
    for i in range(len(records)):
        yield records.positions[i] or b"", _record(records, i)


def _record(records: Records, i: int) -> Record:
    key, value = records.keys[i], records.values[i]
    headers = {}
    for header in records.headers:
        text = header.values[i]
        if text is not None:
            headers[header.name] = _parsed(text)
    return Record(records.topic, _parsed(key), _parsed(value), headers)


def _parsed(text: bytes | None) -> Any:
    """Bytes that are no UTF-8 become lone surrogates, which equal nothing that Debezium writes."""
    return None if text is None else loads(text.decode("utf-8", "surrogateescape"))
