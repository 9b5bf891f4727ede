"""Compares records in Avro byte for byte, but for the moments at which each side did its work.

A value is read with the schema that its side's registry has, its `ts_ms`, `ts_us` and `ts_ns` are set to zero, and it is written
again by fastavro. That fastavro writes each value as it found it is asserted first, so that what is compared are the bytes.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any

import fastavro
from tests.differential.avro.sides import Side, asked

from support.kafka_reading import Read

MOMENTS = ("ts_ms", "ts_us", "ts_ns")  # of the work; those of the source are compared


class Bytes:
    """The bytes of a side's records without its own moments."""

    def __init__(self, side: Side) -> None:
        self._url = side.registry.confluent_url
        self._schemas: dict[int, Any] = {}

    def of(self, reads: Iterable[Read]) -> list[tuple[Any, ...]]:
        """Topic, partition, key, value and headers of each record."""
        return [(r.topic, r.partition, r.key, self._timeless(r.value), r.headers) for r in reads]

    def data(self, message: bytes) -> Any:
        """A message as fastavro reads it; to be written again as it was."""
        return fastavro.schemaless_reader(io.BytesIO(message[5:]), self._schema(message), None)

    def _timeless(self, message: bytes | None) -> bytes | None:
        if message is None:
            return None
        found = self.data(message)
        assert self._written(message, found) == message, f"fastavro writes {found} otherwise"
        return self._written(message, {**found, **{name: 0 for name in MOMENTS if found.get(name) is not None}})

    def _written(self, message: bytes, found: Any) -> bytes:
        made = io.BytesIO(message[:5])
        made.seek(5)
        fastavro.schemaless_writer(made, self._schema(message), found)
        return made.getvalue()

    def _schema(self, message: bytes) -> Any:
        number = int.from_bytes(message[1:5], "big")
        if number not in self._schemas:
            text = asked(f"{self._url}/schemas/ids/{number}")["schema"]
            self._schemas[number] = fastavro.parse_schema(plain(json.loads(text)))
        return self._schemas[number]


def plain(schema: Any) -> Any:
    """A schema without logical types: fastavro would turn their values into Python's, and some not back."""
    if isinstance(schema, dict):
        return {name: plain(part) for name, part in schema.items() if name != "logicalType"}
    return [plain(each) for each in schema] if isinstance(schema, list) else schema
