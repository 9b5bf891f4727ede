"""Filter: drops every record; with a predicate those that it is true of.

Source: Kafka's documentation of its transforms.
"""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.changes.source_records import SourceRecords
from tailrace.transforms.spec import Making, TransformSpec


class Filter:
    """The `Transform`."""

    def __init__(self, _making: Making) -> None:
        pass

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:  # noqa: ARG002 -- none is looked at
        """None."""
        return ()


SPEC = TransformSpec(
    name="org.apache.kafka.connect.transforms.Filter",
    doc="Drops every record; it is meant to have a predicate.",
    make=Filter,
)
