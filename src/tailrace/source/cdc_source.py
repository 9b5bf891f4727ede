"""The DataFrame way: `spark.readStream.format(...)`, by a name for each connector, for any sink that Spark has.

Its rows are records, or with `output="rows"` the typed rows of one table.

Offsets are positions of the log, planned up to its head. A batch that Spark runs again gives the same rows; the processing
time in events is therefore part of the offset. The first offset is a constant, because Spark asks for it again after a crash.
The first batch goes from it to the position where reading begins, and has only the structures at that position. With a
snapshot, the next batches stay at this position and have the tables' rows as of it (`stream_start.py`). A batch with
tables that a signal requested has both: the log up to its end, and rows as of that position (`requested_work.py`).

The structures at a range's start come from a file if `schema.history.internal.file.filename` names one, which all executors
must be able to read. Without a file, a connector that knows a range's structures before it reads it stores them in the offsets
(`structures.py`); MySQL's log can then be read only with full row metadata.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)

from tailrace.connectors.base import HistoryRecord, LogRange, Progress, SnapshotPart
from tailrace.connectors.interface import Connector
from tailrace.connectors.registry import SPECS
from tailrace.errors import RetriableError
from tailrace.schema.history import HistoryFile
from tailrace.source.arrow import SPARK_SCHEMA
from tailrace.source.frame_reading import RECORDS, FrameReading, Step, new_connector, row_reading, spark_schema
from tailrace.source.options import ReadJob, parse_options
from tailrace.source.requested_work import Signals, with_requested_work
from tailrace.source.retry import retrying
from tailrace.source.stream_start import begin, next_parts, offset_at, planned_history
from tailrace.source.structures import Offset, carried_over, planned_structures, structures_at, with_structures
from tailrace.source.tracebacks import show_no_locals

INITIAL: Offset = {"position": None}

log = logging.getLogger(__name__)


class CdcSource(DataSource):  # type: ignore[misc]
    """`format(...)` of one connector: options are Debezium's properties, or `config` names a file of them."""

    connector_class: ClassVar[str]

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return SPECS[cls.connector_class].format

    def schema(self) -> Any:
        """The columns of its rows; for typed rows those that the table has now."""
        show_no_locals()
        job = parse_options(self.options, self.connector_class)
        return spark_schema(job) if job.output == "rows" else SPARK_SCHEMA

    def streamReader(self, schema: Any) -> CdcReader:  # noqa: N802
        """The reader, which plans and reads."""
        show_no_locals()
        job = parse_options(self.options, self.connector_class)
        for warning in job.warnings:
            log.warning(warning)
        return CdcReader(job, row_reading(job, schema) if job.output == "rows" else RECORDS)


class RangePartition(InputPartition):  # type: ignore[misc]
    """A range of the log on its way to a task."""

    def __init__(self, start: Offset, end: Offset) -> None:
        super().__init__(None)
        self.start = start
        self.end = end


class PartPartition(InputPartition):  # type: ignore[misc]
    """A part of a snapshot on its way to a task, with the offset that ends its batch; `beside` tasks of it read the log."""

    def __init__(self, end: Offset, number: int, beside: int = 0) -> None:
        super().__init__(None)
        snapshot = end["snapshot"]
        self.end = {"position": end["position"], "snapshot": {"plan": snapshot["plan"]}, **carried_over(end)}
        self.part = SnapshotPart(snapshot["parts"][number], number + beside, end["now_us"])


class CdcReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Plans ranges in the planner's process, and reads them in the tasks' processes."""

    def __init__(self, job: ReadJob, reading: FrameReading = RECORDS) -> None:
        self._job = job
        self._reading = reading
        self._signals = Signals(job)
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
        """The end of the next batch; `start` if there is nothing to do."""
        end = retrying(self._job.pace, lambda: self._next(start, limit), log.warning)
        self._signals.note_planned(end)
        if end is start and not self._to_fixed_target:
            time.sleep(self._job.idle_seconds)  # Spark asks again at once, and each time is a login
        return end

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """The work between two offsets."""
        if start == end:
            return []
        is_first, parts = start["position"] is None, end.get("snapshot", {}).get("parts", ())
        moves = start["position"] != end["position"] and not (is_first and "snapshot" in end)
        ranges = [RangePartition(start, end)] if moves else []
        return [*ranges, *(PartPartition(end, number, len(ranges)) for number in range(len(parts)))]

    def read(self, partition: RangePartition | PartPartition) -> Iterator[pa.RecordBatch]:
        """Do the work, in a task."""
        show_no_locals()
        if isinstance(partition, PartPartition):
            return read_part(self._job, partition, self._reading)
        return read_range(self._job, partition.start, partition.end, self._reading)

    def commit(self, end: Offset) -> None:
        """Nothing to do: the log is kept by the database."""

    def stop(self) -> None:
        """The stream ends."""
        self._signals.close()

    def _next(self, start: Offset, limit: ReadLimit) -> Offset:
        connector = new_connector(self._job)
        position, max_bytes = start["position"], limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        if position is None:
            return self._signals.initial_offset(connector, begin(self._job, connector, max_bytes))
        if self._to_fixed_target and self._target is None and not self._job.only_snapshot:
            self._target = connector.head_after(position, None)
        snapshot = next_parts(self._job, connector, start, max_bytes)
        if snapshot is not None or self._job.only_snapshot:
            return snapshot or start
        if self._is_over(connector, start):
            return start
        signalled = self._signals.poll(connector, start)
        left, requested = self._signals.next_batch(connector, start, signalled, max_bytes)
        if requested is not None:
            return with_structures(self._job, connector, start, requested)
        newest = self._newest(connector, position, max_bytes)
        if connector.progress_at(newest).delivered > connector.progress_at(position).delivered:
            return with_requested_work(with_structures(self._job, connector, start, offset_at(newest)), left)
        if left == start.get("signalled"):
            return start
        return with_requested_work({**offset_at(position), **carried_over(start)}, left)

    def _is_over(self, connector: Connector, start: Offset) -> bool:
        """Whether a run with a fixed end has reached it; later requests are left for the next run."""
        if self._target is None or not self._signals.looked or self._signals.is_at_work(start):
            return False
        return connector.progress_at(self._target).delivered <= connector.progress_at(start["position"]).delivered

    def _newest(
        self, connector: Connector, position: Mapping[str, Any], max_bytes: int | None
    ) -> Mapping[str, Any]:
        if max_bytes is None and self._target is not None:
            return self._target
        return connector.head_after(position, max_bytes, self._target)


def read_range(job: ReadJob, start: Offset, end: Offset, reading: FrameReading = RECORDS) -> Iterator[pa.RecordBatch]:
    """The rows between two offsets; what the range adds to the schema history is stored at its end."""
    first = start["position"] is None
    position = end["position"] if first else start["position"]
    connector = new_connector(job)
    planned = None if first else planned_structures(end)
    history = structures_at(job, connector, end if first else start, planned)

    def steps(progress: Progress, found: Sequence[HistoryRecord]) -> Iterator[Step]:
        range_ = LogRange(progress.restart, end["position"], end["now_us"], planned=planned)
        return reading.log(job, range_, progress, (*history, *found))

    begun = Progress("", position) if first else connector.progress_at(position)
    found = yield from _kept_up(job, begun, steps)
    if job.history_file and found:
        HistoryFile(job.history_file).append(found)


def read_part(job: ReadJob, partition: PartPartition, reading: FrameReading = RECORDS) -> Iterator[pa.RecordBatch]:
    """The rows of a part of the snapshot, or the events of the structures."""
    position = partition.end["position"]
    history = planned_history(partition.end) or structures_at(job, new_connector(job), partition.end)

    def steps(progress: Progress, _: Sequence[HistoryRecord]) -> Iterator[Step]:
        return reading.part(job, partition.part, progress, history)

    yield from _kept_up(job, Progress("", position), steps)


def _kept_up(
    job: ReadJob, progress: Progress, steps: Callable[[Progress, Sequence[HistoryRecord]], Iterator[Step]]
) -> Generator[pa.RecordBatch, None, list[HistoryRecord]]:
    """The rows of all steps; after an error the next attempt resumes there. Returns the new records of the schema history."""
    reached, found = progress, list[HistoryRecord]()
    failures = 0
    while True:
        try:
            for batches, progress_then, new in steps(reached, found):
                yield from batches
                reached = progress_then
                found += new
                failures = 0
        except RetriableError as error:
            failures += 1
            if 0 <= job.pace.max_retries < failures:
                raise
            log.warning("%s; trying again in %g s", error, job.pace.retry_seconds)
            time.sleep(job.pace.retry_seconds)
        else:
            return found
