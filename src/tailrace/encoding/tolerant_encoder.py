"""Drops the records that a converter fails on (`errors.tolerance=all`), as Kafka Connect does.

A format writes all records at once, so that an error need not tell which ones it is about. Where it does, they are left out;
else the records are halved, until each failing one is alone. Only what is wrong with records is tolerated: a registry that does
not answer, or refuses the login, would make all be dropped for what is not their fault.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from tailrace.changes.merging import merged
from tailrace.changes.records import Records, nulls
from tailrace.changes.skipped_records import SkippedRecords
from tailrace.changes.source_records import SourceRecords
from tailrace.encoding.encoder import Encoder
from tailrace.errors import DeliveryError, TailraceError

log = logging.getLogger(__name__)


class TolerantEncoder:
    """An encoder whose result lacks the records that `encoder` fails on; `skipped` counts them."""

    def __init__(self, encoder: Encoder[Records], skipped: SkippedRecords) -> None:
        self._encoder = encoder
        self._skipped = skipped

    def encode(self, records: SourceRecords) -> Records:
        """The records that can be encoded, in the same order; there may be none. Raises as `encoder` for all else."""
        dropped = _Dropped()
        parts = list(self._parts(records, dropped))
        if dropped.count:
            self._skipped.count += dropped.count
            log.warning("%s; %s", dropped.why, dropped)
        if not parts:
            return _none_of(records)
        return parts[0] if len(parts) == 1 else merged(parts)

    def size(self, encoded: Records) -> int:
        """The bytes of keys and values."""
        return self._encoder.size(encoded)

    def _parts(self, records: SourceRecords, dropped: _Dropped) -> Iterator[Records]:
        """What can be encoded, piece by piece."""
        if not len(records):
            return
        try:
            made = self._encoder.encode(records)
        except TailraceError as error:
            if not _is_of_records(error):
                raise
            failure = error
        else:
            yield made
            return
        known = failure.failed
        if known is None and len(records) == 1:
            known = np.ones(1, np.bool_)
        if known is not None:
            dropped.add(records.where(known), failure)
            yield from self._parts(records.where(~known), dropped)
            return
        middle = len(records) // 2
        yield from self._parts(records.take(np.arange(middle)), dropped)
        yield from self._parts(records.take(np.arange(middle, len(records))), dropped)


@dataclass(slots=True)
class _Dropped:
    """Records that were dropped of one event: how many, why the first was, and their positions."""

    count: int = 0
    why: str = ""
    places: list[str] = field(default_factory=list)

    def add(self, records: SourceRecords, why: TailraceError) -> None:
        if not self.count:
            self.why = str(why)
        self.count += len(records)
        ends = (records.positions[0], records.positions[len(records) - 1])
        self.places += [each.decode(errors="replace") for each in ends if each is not None]

    def __str__(self) -> str:
        first, last = min(self.places, default=""), max(self.places, default="")
        where = f"from {first} to {last}" if first != last else f"at {first}"
        return f"{self.count} dropped{', ' + where if last else ''}, as errors.tolerance is all"


def _is_of_records(error: TailraceError) -> bool:
    """Whether an error is about records, and not about what they are sent to."""
    return error.failed is not None or isinstance(error, DeliveryError)


def _none_of(records: SourceRecords) -> Records:
    nothing = np.empty(0, np.int64)
    return Records(records.topic, nulls(0), nulls(0), nothing, nulls(0), nothing, partition=records.partition)
