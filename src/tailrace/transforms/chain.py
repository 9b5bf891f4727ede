"""A chain of transforms: each gets the source records that the one before it gave, before they are encoded.

A transform gets the records of one event of any kind: rows with their tombstones, transaction boundaries, schema changes,
heartbeats, notifications; never progress or schema history. It may change topics, headers and layouts, drop records
(`SourceRecords.where`) and add some. It must be a pure function: a range that is read again must give the same records.
The counts in transaction metadata are made before transforms, as in Debezium. `log_order` is a record's place in its event; the
pipeline puts records in that order again behind the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tailrace.changes.source_records import Mask, SourceRecords

Predicate = Callable[[SourceRecords], Mask]
"""Which records a predicate is true of, shape (n,)."""


class Transform(Protocol):
    """One transform."""

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The transformed records, in log order within each topic; empty if all are dropped."""


@dataclass(frozen=True, slots=True)
class Conditional:
    """A `Transform` of the records that a predicate is true of; the others stay as they are."""

    transform: Transform
    predicate: Predicate
    negate: bool = False

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The transformed records, then the others; log order is made again behind the chain."""
        chosen = self.predicate(records) != self.negate
        if chosen.all():
            return self.transform(records)
        if not chosen.any():
            return (records,)
        return (*self.transform(records.where(chosen)), records.where(~chosen))


def transformed(records: SourceRecords, transforms: Sequence[Transform]) -> Iterator[SourceRecords]:
    """The records after a chain of transforms; empty ones are left out."""
    if not len(records):
        return
    if not transforms:
        yield records
        return
    for each in transforms[0](records):
        yield from transformed(each, transforms[1:])
