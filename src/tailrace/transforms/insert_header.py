"""InsertHeader: a header with the same value on every record.

Source: Kafka's documentation of its transforms; comparison with the real one (tests/formats).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tailrace.changes.layouts import Layout
from tailrace.changes.source_records import SourceHeader, SourceRecords
from tailrace.config.property import Property
from tailrace.transforms.header_literals import parsed_literal
from tailrace.transforms.spec import Making, TransformSpec


class InsertHeader:
    """The `Transform`; its arguments are the properties of the same names."""

    def __init__(self, _making: Making, *, header: str, value_literal: str) -> None:
        self._header = SourceHeader(header, Layout(parsed_literal(value_literal)))

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records with one header more, behind those that they have."""
        return (replace(records, headers=(*records.headers, self._header)),)


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.InsertHeader",
    doc="Adds a header with a fixed value, behind others of that name.",
    properties=(
        Property(name="header", required=True, doc="The header's name."),
        Property(
            name="value.literal",
            required=True,
            doc="Its value, typed as it looks: `true`, `12`, `1.5`, text. Lists, maps and `null` are refused.",
        ),
    ),
    make=InsertHeader,
)
