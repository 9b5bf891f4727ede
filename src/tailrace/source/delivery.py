"""The data source of the direct way: its tasks read the log *and* deliver, and give Spark only figures.

See `slices` for the meaning of offsets here, and `task` for a task's work. The job itself reaches the planner, which is on the
driver's machine, over the link, and the tasks within the reader that Spark sends them. The format's name is internal: only
tailrace's own runs use it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from tailrace.config.placeholders import know
from tailrace.connectors.base import Progress
from tailrace.errors import ConfigError, StoppedError
from tailrace.link import REACHED, Reporter, kept
from tailrace.sinks.base import Sink
from tailrace.source.job import Job
from tailrace.source.retry import in_time, retrying
from tailrace.source.shipped import unpacked
from tailrace.source.slices import INITIAL, Goal, Offset, Turn, next_offset, turns
from tailrace.source.task import deliver
from tailrace.source.tracebacks import show_no_locals
from tailrace.told_turns import Attempt
from tailrace.version import __version__

T = TypeVar("T")

FORMAT = "tailrace-delivery"
JOB_OPTION = "job"
"""Where the driver's link keeps the job: options are shown in plans, on Spark's pages and in its event log."""
SCHEMA = "changes bigint, records bigint, bytes bigint, commits bigint, skipped bigint, delivered string, lag_ms bigint"


class DeliverySource(DataSource):  # type: ignore[misc]
    """`format("tailrace-delivery")` with one option: the job."""

    @classmethod
    def name(cls) -> str:
        """The name for `format`."""
        return FORMAT

    def schema(self) -> str:
        """What its rows have."""
        return SCHEMA

    def streamReader(self, schema: Any) -> DeliveryReader:  # noqa: N802, ARG002
        """What plans and reads."""
        show_no_locals()
        job = Job.from_json(kept(self.options[JOB_OPTION]))
        know(job.values)  # Java may be older than a variable of the driver's environment
        return DeliveryReader(job)


class TurnPartition(InputPartition):  # type: ignore[misc]
    """A turn on its way to a task."""

    def __init__(self, turn: Turn) -> None:
        super().__init__(None)
        self.turn = turn


class DeliveryReader(DataSourceStreamReader, SupportsTriggerAvailableNow):  # type: ignore[misc]
    """Plans turns in the planner's process, and does them in the tasks'."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._version = __version__
        self._goal = Goal(snapshot=job.snapshot)
        self._sink: Sink | None = None

    def initialOffset(self) -> Offset:  # noqa: N802
        """A constant: Spark asks again when the first batch failed."""
        return INITIAL

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """How much one batch may hold."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """End the query where the job says, by default at the log's current head."""
        if self._job.snapshot:
            return
        if self._job.until is not None:
            self._goal = Goal(until=self._job.until)
            return
        self._goal = Goal(until=self._asked(self._job.new_connector().head))

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802, ARG002
        """The end of the next batch; `start` when there is nothing to do."""
        if self._stopping():  # no further turn: its tasks would only open their lanes and end
            return start
        end = next_offset(start, self._lanes(), self._goal)
        if end == start:
            with closing(Reporter(self._job.link)) as reporter:
                reporter.send(REACHED, self._job.query)
        return end

    def partitions(self, start: Offset, end: Offset) -> list[InputPartition]:
        """The work between two offsets."""
        return [TurnPartition(turn) for turn in turns(start, end, self._job.lanes, self._goal)]

    def read(self, partition: TurnPartition) -> Iterator[tuple[Any, ...]]:
        """Do the work, in a task. Raises `ConfigError` where that has another version of tailrace than the driver."""
        show_no_locals()
        if self._version != __version__:
            raise ConfigError(
                f"the executor on {platform.node()} has tailrace {__version__}, and the driver {self._version}: install the "
                "same version on each machine"
            )
        with unpacked(self._job) as job:
            figures = deliver(job, partition.turn, _this_attempt())
        yield (
            figures.changes,
            figures.records,
            figures.bytes,
            figures.commits,
            figures.skipped,
            figures.delivered,
            figures.lag_ms,
        )

    def commit(self, end: Offset) -> None:
        """Do nothing: the sink keeps track of delivery."""

    def _lanes(self) -> list[Progress | None]:
        """Each lane's progress; the planner lives as long as the query, and so does its sink."""
        return self._asked(self._ask_sink)

    def _asked(self, question: Callable[[], T]) -> T:
        """The answer, with retries; a stop does not wait for a server that hangs, as Spark waits for its planner."""
        with closing(Reporter(self._job.link)) as reporter:
            stopping = reporter.stopping
            try:
                return retrying(self._job.pace, lambda: in_time(question, stopping), reporter.notice, stopping)
            except StoppedError:
                reporter.raise_failure()
                raise

    def _ask_sink(self) -> list[Progress | None]:
        if self._sink is None:
            self._sink = self._job.new_sink()
        return [self._sink.peek(lane) for lane in range(self._job.lanes)]

    def _stopping(self) -> bool:
        with closing(Reporter(self._job.link)) as reporter:
            stopping = reporter.stopping()
            reporter.raise_failure()  # an attempt that did not hear of it has done the turn all the same
            return stopping


def _this_attempt() -> Attempt:
    """Which task of Spark's this is."""
    context = TaskContext.get()
    return Attempt() if context is None else Attempt(context.taskAttemptId(), context.attemptNumber())
