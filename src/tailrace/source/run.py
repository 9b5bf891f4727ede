"""Running a job on a Spark session: take the sink over, start the query, wait, stop it in good order.

A run begins with the lanes that the sink has recorded. Where another number is wanted they are brought to one position
first, by a bounded run; there the sink changes their number. A sink that knows nothing begins with one lane, so that
all of them start from the same position.

A snapshot comes before the log. Where it begins is fixed here, by a commit of its own, before any query is started. Its
lanes are the sink's lanes for as long as it lasts: all of them stand at the position that it is of, each with a part of the
tables. When all are done they stand there alike, and the lanes for the log are laid out. So nothing of the log is delivered
before the last row of the snapshot is. `anew` says when another is taken.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from tailrace.errors import ConfigError, ProgressError, RetriableError
from tailrace.signals.carried import has_unmovable
from tailrace.sinks.base import Claim
from tailrace.source import anew, listing, skipping
from tailrace.source.delivery import FORMAT, JOB_OPTION, DeliverySource
from tailrace.source.endings import is_dead_planner, is_dead_process, may_be_lost
from tailrace.source.job import Job
from tailrace.source.link import Link
from tailrace.source.retry import paused, retrying
from tailrace.source.slices import check_progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

POLL_SECONDS = 0.2
GRACE_SECONDS = 20.0
SNAPSHOT_COMMIT_SECONDS = 3.0  # nobody waits for a single row of it, and each commit waits for the brokers
QUIET_SECONDS = 60.0  # a query that ran for so long has recovered from whatever had ended the one before

Notice = Callable[[str], None]


def deliver(
    spark: SparkSession,
    job: Job,
    checkpoint: str,
    link: Link,
    *,
    available_now: bool,
    stop_asked: Callable[[], bool],
    notice: Notice,
) -> bool:
    """Deliver to the log's head of this moment, or until stopped; whether it was stopped.

    Raises:
        ConfigError: Spark can't run the job's lanes side by side.
        ProgressError: the lanes do not come to one position.

    """
    refuse_speculation(spark)
    run = _Run(spark, checkpoint, link, stop_asked, notice)
    return run.deliver(evolve(job, link=link.address), available_now=available_now)


@frozen
class _Run:
    """A run's surroundings, whatever job it has at the moment."""

    spark: SparkSession
    checkpoint: str
    link: Link
    stop_asked: Callable[[], bool]
    notice: Notice

    def deliver(self, job: Job, *, available_now: bool) -> bool:
        """All that is to be delivered, with another snapshot where one is wanted; whether it was stopped."""
        claim = self._claimed(job)
        listing.tell(job, claim, self.notice)
        why = anew.at_start(job, claim, self._asking(job))
        if not why:
            skipping.tell(job, claim, self._asking(job))
        while True:
            if why:
                self.notice(why)
            if why or self._is_first(job, claim):
                if paused(job.snapshot_delay_seconds, self.stop_asked):
                    return True
                claim = anew.begun(job, claim, self._snapshot_lanes(job), self._asking(job))
            try:
                return self._deliver(job, claim, available_now=available_now)
            except Exception as error:
                why = anew.after_failure(job, self._asking(job)) if may_be_lost(error) else ""
                if not why:
                    raise
                job = anew.another_run(job)
                claim = self._claimed(job)

    def _is_first(self, job: Job, claim: Claim) -> bool:
        """Whether nothing is recorded, and the job is to begin with a snapshot.

        Raises:
            ProgressError: the checkpoint knows that something was recorded.

        """
        if job.snapshot_lanes is None or any(claim.progress):
            return False
        check_progress(first=not any(Path(self.checkpoint, "commits").glob("[0-9]*")), floor="", progress=None)
        return True

    def _deliver(self, job: Job, claim: Claim, *, available_now: bool) -> bool:
        """The snapshot, if there is one to read, then the log with as many lanes as wanted; whether it was stopped."""
        while lanes := _lanes_of_snapshot(claim):
            claim = self._claimed(evolve(job, lanes=lanes))
            if claim.lanes != lanes:
                raise ProgressError(
                    f"{job.target} has {_lanes(claim.lanes)}, and the snapshot in their progress was begun for {lanes}: "
                    "the progress was put together from different times; restore it, or begin anew"
                )
            self.notice(f"reading the snapshot with {_lanes(lanes)}")
            if self._read_snapshot(job, lanes):
                return True
            claim = self._claimed(job)
        return not job.only_snapshot and self._log(job, claim, available_now=available_now)

    def _read_snapshot(self, job: Job, lanes: int) -> bool:
        """Each lane's part; whether it was stopped."""
        pace = evolve(job.pace, commit_seconds=max(job.pace.commit_seconds, SNAPSHOT_COMMIT_SECONDS))
        reading = evolve(job, lanes=lanes, snapshot=uuid.uuid4().hex, pace=pace)
        return self._kept_up(reading, available_now=True)

    def _snapshot_lanes(self, job: Job) -> int:
        """How many lanes a snapshot is for that begins now."""
        slots: int = self.spark.sparkContext.defaultParallelism
        return min(job.snapshot_lanes or slots, slots)

    def _log(self, job: Job, claim: Claim, *, available_now: bool) -> bool:
        """The log, after the lanes have been brought to the job's number; whether it was stopped."""
        if claim.lanes != job.lanes:
            self.notice(f"{_lanes(claim.lanes)} to one position, to go on with {_lanes(job.lanes)} from there")
            if self._kept_up(evolve(job, lanes=claim.lanes), available_now=True):
                return True
            claim = self._claimed(job)
            if claim.lanes != job.lanes:
                raise ProgressError(_unchanged(job, claim))
        return self._kept_up(job, available_now=available_now)

    def _claimed(self, job: Job) -> Claim:
        """Take the sink over; with nothing recorded yet, for one lane."""

        def ask() -> Claim:
            with closing(job.new_sink()) as sink:
                claim = sink.claim(job.lanes)
                return claim if claim.lanes == 1 or any(claim.progress) else sink.claim(1)

        return self._asking(job)(ask)

    def _asking(self, job: Job) -> anew.Ask:
        """Asks again after retriable errors, at the job's pace."""
        return partial(retrying, job.pace, notice=self.notice, stopping=self.stop_asked)

    def _kept_up(self, job: Job, *, available_now: bool) -> bool:
        """Run the query, and again when a process died: what a task had not committed is delivered by the next."""
        if not job.snapshot:
            require_slots(self.spark, job)  # lanes of a snapshot can do their parts one after the other
        deaths = 0
        while True:
            began = time.monotonic()
            try:
                query = start(self.spark, job, self.checkpoint, available_now=available_now)
                return wait(query, self.link, self.stop_asked)
            except Exception as error:
                deaths = deaths + 1 if time.monotonic() - began < QUIET_SECONDS else 1
                if self.stop_asked() or not is_dead_process(error) or 0 <= job.pace.max_retries < deaths:
                    raise
                pause = 0 if deaths == 1 else min(job.pace.retry_seconds, 2.0 ** (deaths - 2))
                self.notice(f"a process of Spark's has died; another goes on from the last commit in {pause:g} s")
                if paused(pause, self.stop_asked):
                    return True


def start(spark: SparkSession, job: Job, checkpoint: str, *, available_now: bool) -> StreamingQuery:
    """Start delivering; with `available_now` the query ends at the log's head of this moment."""
    spark.dataSource.register(DeliverySource)
    figures = spark.readStream.format(FORMAT).option(JOB_OPTION, job.to_json()).load()
    writer = figures.writeStream.format("noop").option("checkpointLocation", checkpoint)
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")
    return writer.start()


def wait(query: StreamingQuery, link: Link, stop_asked: Callable[[], bool]) -> bool:
    """Wait for the query's end, or stop it when asked; whether it was stopped. Raises what the query ended with."""
    while not query.awaitTermination(POLL_SECONDS):
        if stop_asked():
            stop(query, link)
            return True
    return False


def stop(query: StreamingQuery, link: Link) -> None:
    """Let the running task make its last commit, then end the query; after a grace period the task is killed.

    Raises:
        RetriableError: the last commit did not come in time.
        Exception: what the query ended with meanwhile.

    """
    link.stop_tasks()
    deadline = time.monotonic() + GRACE_SECONDS
    while working := query.isActive and _is_working(query):
        if time.monotonic() >= deadline:
            break
        time.sleep(POLL_SECONDS / 4)
    query.stop()
    if working:  # by the last look; a query that has nothing to do looks for work again and again
        raise RetriableError(
            f"the last commit did not come within {GRACE_SECONDS:g} s; what it would have held is delivered by the next run"
        )
    error = query.exception()
    if error is not None and not is_dead_planner(error):  # a planner has nothing left to do
        raise error


def refuse_speculation(spark: SparkSession) -> None:
    """Two attempts of a task at once would take the lane from each other again and again."""
    if str(spark.conf.get("spark.speculation", "false")).lower() == "true":
        raise ConfigError("spark.speculation is on: tasks that deliver can't run twice at once; set it to false")


def require_slots(spark: SparkSession, job: Job) -> None:
    """A lane that waits for another's turn to end would stand still for as long."""
    slots = spark.sparkContext.defaultParallelism
    if slots < job.lanes:
        raise ConfigError(
            f"tasks.max={job.lanes} wants {job.lanes} tasks at once, and Spark has {slots} cores "
            f"({spark.sparkContext.master}): give it more (--master), or lower tasks.max"
        )


def _lanes_of_snapshot(claim: Claim) -> int:
    """How many lanes a snapshot is for that is not read to its end; 0 where there is none."""
    if not any(progress and progress.snapshot_is_pending for progress in claim.progress):
        return 0
    return max(int(progress.snapshot["lanes"]) for progress in claim.progress if progress and progress.snapshot)


def _unchanged(job: Job, claim: Claim) -> str:
    """Why the lanes stay as many as they are, and what to do."""
    if any(progress and has_unmovable(progress.signalled) for progress in claim.progress):
        return (
            f"the {_lanes(claim.lanes)} of {job.target} are reading a blocking snapshot, which has to end before there can be "
            f"{job.lanes}: run with tasks.max={claim.lanes} until its last rows are delivered, then change it"
        )
    return (
        f"the {_lanes(claim.lanes)} of {job.target} stand at different positions, so that there can't be "
        f"{job.lanes}: set tasks.max back to {claim.lanes}, and report this"
    )


def _lanes(count: int) -> str:
    return "1 lane" if count == 1 else f"{count} lanes"


def _is_working(query: StreamingQuery) -> bool:
    status = query.status
    return bool(status["isTriggerActive"] or status["isDataAvailable"])
