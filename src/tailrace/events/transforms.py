"""Transforms: what is done to records between the connector and the encoder, as Kafka Connect's transforms do it.

A transform sees the records of one event, whatever its kind: rows with their tombstones, transaction boundaries, schema
changes, heartbeats, notifications; progress and schema history never. It may change topics, headers and layouts, leave
records out (`SourceRecords.where`) and add some. It is a function of its argument: a range that is read again must give
the same records. Events of transactions are counted before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tailrace.changes.source_records import SourceRecords


class Transform(Protocol):
    """One transform."""

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """What becomes of some records, in log order within each topic; nothing where all are dropped."""


def transformed(records: SourceRecords, transforms: Sequence[Transform]) -> Iterator[SourceRecords]:
    """What a chain of transforms makes of some records, one after the other; what is empty is left out."""
    if not len(records):
        return
    if not transforms:
        yield records
        return
    for each in transforms[0](records):
        yield from transformed(each, transforms[1:])
