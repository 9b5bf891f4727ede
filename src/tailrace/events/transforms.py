"""Transforms: functions applied to source records before they are encoded, like Kafka Connect's transforms.

A transform gets the records of one event of any kind: rows with their tombstones, transaction boundaries, schema changes,
heartbeats, notifications; never progress or schema history. It may change topics, headers and layouts, drop records
(`SourceRecords.where`) and add some. It must be a pure function: a range that is read again must give the same records.
The counts in transaction metadata are made before transforms, as in Debezium.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tailrace.changes.source_records import SourceRecords


class Transform(Protocol):
    """One transform."""

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The transformed records, in log order within each topic; empty if all are dropped."""


def transformed(records: SourceRecords, transforms: Sequence[Transform]) -> Iterator[SourceRecords]:
    """The records after a chain of transforms; empty ones are left out."""
    if not len(records):
        return
    if not transforms:
        yield records
        return
    for each in transforms[0](records):
        yield from transformed(each, transforms[1:])
