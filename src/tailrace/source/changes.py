"""The DataFrame way: `spark.readStream.format("mysql-cdc")`, for any sink that Spark has.

Its rows are records, or with `output="rows"` the typed rows of one table.

Offsets are positions of the log, planned from its head, so a batch that Spark runs again gives the same rows: also
the processing time that events tell is part of the plan. The first offset is a constant, since Spark asks for it
again after a crash; the first batch goes from there to the position where reading begins, and holds nothing but the
structures that the connector begins with.

The structures at a range's start come from a file, if `schema.history.internal.file.filename` names one, which all
executors must reach. Without one only a log with full row metadata can be read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)

from tailrace.connectors.base import HistoryRecord, LogRange, Progress, RangeConnector
from tailrace.errors import RetriableError
from tailrace.schema.history import HistoryFile
from tailrace.source.arrow import SPARK_SCHEMA
from tailrace.source.options import ReadJob, parse_options
from tailrace.source.reading import Reading, new_connector, read_records, row_reading, spark_schema
from tailrace.source.retry import retrying

Offset = Mapping[str, Any]
INITIAL: Offset = {"position": None}


class ChangesSource(DataSource):  # type: ignore[misc]
    """`format("mysql-cdc")`: options are Debezium's properties, or `config` names a file of them."""

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return "mysql-cdc"

    def schema(self) -> Any:
        """What its rows have; of typed rows, the columns that the table has now."""
        job = parse_options(self.options)
        return spark_schema(job) if job.output == "rows" else SPARK_SCHEMA

    def streamReader(self, schema: Any) -> ChangesReader:  # noqa: N802
        """What plans and reads."""
        job = parse_options(self.options)
        return ChangesReader(job, row_reading(job, schema) if job.output == "rows" else read_records)


class RangePartition(InputPartition):  # type: ignore[misc]
    """A range of the log on its way to a task."""

    def __init__(self, start: Offset, end: Offset) -> None:
        super().__init__(None)
        self.start = start
        self.end = end


class ChangesReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Plans ranges in the planner's process, and reads them in the tasks'."""

    def __init__(self, job: ReadJob, reading: Reading = read_records) -> None:
        self._job = job
        self._reading = reading
        self._to_fixed_target = False
        self._target: Mapping[str, Any] | None = None

    def initialOffset(self) -> Offset:  # noqa: N802
        """A constant: Spark asks again when the first batch failed."""
        return INITIAL

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """How much one batch may hold."""
        return ReadMaxBytes(self._job.max_bytes) if self._job.max_bytes else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """The run ends at the head of the log of this moment."""
        self._to_fixed_target = True

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802
        """The end of the next batch; `start` when there is nothing to do."""
        return retrying(self._job.pace, lambda: self._next(start, limit), lambda _notice: None)

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """The work between two offsets."""
        return [] if start == end else [RangePartition(start, end)]

    def read(self, partition: RangePartition) -> Iterator[pa.RecordBatch]:
        """Do the work, in a task."""
        return read_range(self._job, partition.start, partition.end, self._reading)

    def commit(self, end: Offset) -> None:
        """Nothing to do: the log is kept by the database."""

    def _next(self, start: Offset, limit: ReadLimit) -> Offset:
        connector = new_connector(self._job)
        position = start["position"]
        if position is None:
            return _offset(begin(self._job, connector))
        newest = self._newest(connector, position, limit)
        if connector.progress_at(newest).delivered <= connector.progress_at(position).delivered:
            return start
        return _offset(newest)

    def _newest(self, connector: RangeConnector, position: Mapping[str, Any], limit: ReadLimit) -> Mapping[str, Any]:
        max_bytes = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        if self._to_fixed_target and self._target is None:
            self._target = connector.head_after(position, None)
        if max_bytes is None:
            return self._target or connector.head_after(position, None)
        cut = connector.head_after(position, max_bytes)
        if self._target is None:
            return cut
        return min(cut, self._target, key=lambda p: connector.progress_at(p).delivered)


def begin(job: ReadJob, connector: RangeConnector) -> Mapping[str, Any]:
    """Where a new stream begins; its structures begin the history file, if there is one."""
    point = connector.start_point()
    if job.history_file:
        HistoryFile(job.history_file).append(point.history)
    return point.restart


def read_range(job: ReadJob, start: Offset, end: Offset, reading: Reading = read_records) -> Iterator[pa.RecordBatch]:
    """The rows between two offsets; what the range adds to the schema history is stored at its end."""
    first = start["position"] is None
    position = end["position"] if first else start["position"]
    connector = new_connector(job)
    progress = Progress("", position) if first else connector.progress_at(position)
    history = stored_history(job, connector, position)
    found: list[HistoryRecord] = []
    failures = 0
    while True:
        range_ = LogRange(progress.restart, end["position"], end["now_us"])
        try:
            for batches, progress, new in reading(job, range_, progress, (*history, *found)):  # noqa: B007, B020 -- where an error struck, the next attempt goes on
                yield from batches
                found += new
                failures = 0
            break
        except RetriableError:
            failures += 1
            if 0 <= job.pace.max_retries < failures:
                raise
            time.sleep(job.pace.retry_seconds)
    if job.history_file and found:
        HistoryFile(job.history_file).append(found)


def stored_history(job: ReadJob, connector: RangeConnector, position: Mapping[str, Any]) -> Sequence[HistoryRecord]:
    """The history as of a position; what a later range or a broken attempt has added does not count."""
    if not job.history_file or not Path(job.history_file).exists():
        return ()
    return connector.history_at(HistoryFile(job.history_file).load(), position)


def _offset(position: Mapping[str, Any]) -> Offset:
    return {"position": position, "now_us": time.time_ns() // 1000}
