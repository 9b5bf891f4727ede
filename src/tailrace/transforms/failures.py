"""What becomes of records that a transform can't do anything with.

In Kafka Connect they fail the task, or are dropped with `errors.tolerance=all`. So they do here. A message names the transform
and the topic, and never shows a record.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np

from tailrace.changes.skipped_records import SkippedRecords
from tailrace.changes.source_records import Mask, SourceRecords
from tailrace.errors import TransformError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Failures:
    """The failures of one transform.

    Attributes:
        alias: its name in `transforms`.
        type: its Java class.
        tolerant: records that fail are dropped (`errors.tolerance=all`).
        skipped: counts those.

    """

    alias: str = "transform"
    type: str = ""
    tolerant: bool = False
    skipped: SkippedRecords = field(default_factory=SkippedRecords)

    def where(self, records: SourceRecords) -> str:
        """What messages begin with: the transform and the topic."""
        name = f"transforms.{self.alias} ({self.type.rpartition('.')[2]})"
        return f"{name} failed on a record of the topic {records.topic}"

    def without(self, records: SourceRecords, failed: Mask, why: str) -> SourceRecords:
        """The records that did not fail.

        Args:
            records: the transform's.
            failed: those that failed, shape (n,).
            why: what is wrong with them, and what to do, in words without an end; no values.

        Raises:
            TransformError: some failed, and that is not tolerated.

        """
        count = int(np.count_nonzero(failed))
        if not count:
            return records
        message = f"{self.where(records)}: {why}"
        if not self.tolerant:
            raise TransformError(message)
        self.skipped.count += count
        log.warning("%s; %d dropped, as errors.tolerance is all", message, count)
        return records.where(~failed)

    def all_of(self, records: SourceRecords, why: str) -> SourceRecords:
        """None of the records: all have failed. Raises as `without`."""
        return self.without(records, np.ones(len(records), np.bool_), why)
