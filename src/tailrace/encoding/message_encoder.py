"""Keys, values and headers to bytes, each in a format of its own: JSON keys may go with Avro values."""

from __future__ import annotations

from typing import Protocol

from tailrace.changes.layouts import Layout
from tailrace.changes.records import Binary, Header, Records, nulls
from tailrace.changes.source_records import Mask, SourceHeader, SourceRecords


class Messages(Protocol):
    """A format of keys, values or headers, as a converter of Kafka Connect is set for one of them."""

    def render_with_headers(
        self, layout: Layout, records: SourceRecords, present: Mask | None = None
    ) -> tuple[Binary, tuple[Header, ...]]:
        """One message for each record, null where `present` is false; and headers that belong to the messages."""
        ...


class MessageEncoder:
    """An `Encoder` of records; a missing key is a null key, a missing value a tombstone."""

    def __init__(self, keys: Messages, values: Messages, headers: Messages) -> None:
        self._keys = keys
        self._values = values
        self._headers = headers

    def encode(self, records: SourceRecords) -> Records:
        """The records as bytes. Headers that formats add come behind the records' own, a key's before a value's."""
        keys, of_keys = self._encoded_keys(records)
        values, of_values = self._values.render_with_headers(records.value, records, records.has_value)
        own = [self._encoded_header(each, records) for each in records.headers]
        return Records(
            topic=records.topic,
            keys=keys,
            values=values,
            timestamps=records.timestamps,
            positions=records.positions,
            log_order=records.log_order,
            headers=(*own, *of_keys, *of_values),
            partition=records.partition,
        )

    def _encoded_header(self, header: SourceHeader, records: SourceRecords) -> Header:
        values = self._headers.render_with_headers(header.layout, records, header.present)[0]
        if values.valid is None:
            return Header(header.name, values)
        nulls = ~values.valid if header.present is None else header.present & ~values.valid
        return Header(header.name, values, nulls if nulls.any() else None)

    def size(self, encoded: Records) -> int:
        """The bytes of keys and values."""
        return encoded.keys.size + encoded.values.size

    def _encoded_keys(self, records: SourceRecords) -> tuple[Binary, tuple[Header, ...]]:
        if records.key is None:
            return nulls(len(records)), ()
        return self._keys.render_with_headers(records.key, records, records.has_key)
