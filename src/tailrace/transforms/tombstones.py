"""What the TombstoneHandlers of Confluent and Aiven do with records whose value is null, with a schema or without."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import Enum

from tailrace.changes.field_paths import values_are_null
from tailrace.changes.source_records import SourceRecords
from tailrace.transforms.failures import Failures

log = logging.getLogger(__name__)


class Behavior(Enum):
    """What becomes of a tombstone."""

    DROP = "drop"
    WARN = "drop, with a warning"
    FAIL = "fail"


class Tombstones:
    """A `Transform`."""

    def __init__(self, failures: Failures, behavior: Behavior) -> None:
        self._failures = failures
        self._behavior = behavior

    def __call__(self, records: SourceRecords) -> Sequence[SourceRecords]:
        """The records that have a value."""
        gone = values_are_null(records)
        if not gone.any():
            return (records,)
        if self._behavior is Behavior.FAIL:
            return (self._failures.without(records, gone, "its value is null, and behavior is fail"),)
        level = logging.WARNING if self._behavior is Behavior.WARN else logging.DEBUG
        log.log(level, "transforms.%s: %d tombstones of %s dropped", self._failures.alias, int(gone.sum()), records.topic)
        return () if gone.all() else (records.where(~gone),)
