"""DropHeaders: removes headers. Source: Kafka's documentation of its transforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.source_records import SourceRecords
from tailrace.config.property import Kind, Property
from tailrace.transforms.spec import Making, TransformSpec


class DropHeaders:
    """The `Transform`; its argument is the property of the same name."""

    def __init__(self, _making: Making, *, headers: tuple[str, ...]) -> None:
        if not headers:
            raise ValueError("headers is empty: name the headers to drop")
        self._names = frozenset(headers)

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with the other headers."""
        return (replace(records, headers=tuple(each for each in records.headers if each.name not in self._names)),)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.DropHeaders",
    doc="Removes headers.",
    properties=(Property(name="headers", kind=Kind.LIST, required=True, doc="The names of headers."),),
    make=DropHeaders,
)
