"""The direct way as a Spark data source: its tasks read the log *and* deliver, and give Spark only figures.

The format's name is internal: the command line starts it, nobody else. See `slices` for what offsets mean here, and
`task` for what a task does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from tailrace.source.job import Job
from tailrace.source.link import Reporter
from tailrace.source.retry import retrying
from tailrace.source.slices import INITIAL, LANE, Offset, Turn, next_offset, turns
from tailrace.source.task import deliver

FORMAT = "tailrace-delivery"
JOB_OPTION = "job.secret"  # "secret" in the name makes Spark redact the value wherever it shows options
SCHEMA = "changes bigint, records bigint, bytes bigint, commits bigint, delivered string, lag_ms bigint"


class DeliverySource(DataSource):
    """`format("tailrace-delivery")` with one option: the job."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: Any) -> DeliveryReader:  # noqa: N802, ARG002
        return DeliveryReader(Job.from_json(self.options[JOB_OPTION]))


class TurnPartition(InputPartition):
    """A turn on its way to a task."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(None)
        self.turn = turn


class DeliveryReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans turns in the planner's process, and does them in the tasks'."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._target: Mapping[str, Any] | None = None

    def initialOffset(self) -> Offset:  # noqa: N802
        return INITIAL

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        with closing(Reporter(self._job.link)) as reporter:
            self._target = retrying(self._job.pace, lambda: self._job.new_connector().head(), reporter.notice)

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802, ARG002
        if self._stopping():
            return start
        return next_offset(start, self._job.new_sink().peek(LANE), self._target)

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        return [TurnPartition(turn) for turn in turns(start, end, self._target)]

    def read(self, partition: TurnPartition) -> Iterator[tuple[Any, ...]]:
        figures = deliver(self._job, partition.turn)
        yield (
            figures.changes,
            figures.records,
            figures.bytes,
            figures.commits,
            figures.delivered,
            figures.lag_ms,
        )

    def commit(self, end: Offset) -> None:
        """Nothing to do: what was delivered is the sink's business."""

    def _stopping(self) -> bool:
        with closing(Reporter(self._job.link)) as reporter:
            return reporter.stopping()
