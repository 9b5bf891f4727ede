"""Numbers of an outbox table's columns: the time of an event, its partition, the version of its schema."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.field_paths import Path, gathered, nulls_of
from tailrace.changes.grouping import Codes
from tailrace.changes.source_records import SourceRecords
from tailrace.transforms.failures import Failures

INT64 = npt.NDArray[np.int64]
_PER_MS: Final = {
    "io.debezium.time.Timestamp": 1,
    "io.debezium.time.MicroTimestamp": 1000,
    "io.debezium.time.NanoTimestamp": 1_000_000,
}


def event_times(
    records: SourceRecords, processed: Path, column: Path | None, failures: Failures
) -> tuple[SourceRecords, INT64]:
    """The records, and their times in milliseconds: of the column, or where that is null of the envelope (`ts_ms`).

    A column that is no time fails those records in which it is not null.
    """
    if column is not None and column.schema.name not in _PER_MS:
        wrong = "the column of table.field.event.timestamp is neither a Timestamp, a MicroTimestamp nor a NanoTimestamp"
        records = failures.without(records, ~nulls_of(records, column), wrong)
        column = None
    times = gathered(records, processed).data
    if column is None:
        return records, times
    given, per_ms = gathered(records, column).data, _PER_MS[column.schema.name or ""]
    whole = given // per_ms + ((given < 0) & (given % per_ms != 0))  # towards zero, as Java divides
    return records, np.where(nulls_of(records, column), times, whole)


def coded_numbers(records: SourceRecords, path: Path | None) -> tuple[list[int | None], Codes]:
    """The distinct numbers of a column, and which one each record has; without a path all are null."""
    if path is None:
        return [None], np.zeros(len(records), np.int64)
    distinct, codes = np.unique(gathered(records, path).data, return_inverse=True)
    null = nulls_of(records, path)
    return [*map(int, distinct), None], np.where(null, len(distinct), codes.reshape(-1))
