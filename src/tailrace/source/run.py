"""Running a job on a Spark session: take the sink over, start the query, wait, stop it cleanly.

A run begins with the lanes that the sink has recorded. If another number or another routing is configured,
a bounded run first brings them to one position (`lane_alignment`); there the sink changes them. An empty sink
begins with one lane, so that all lanes start from the same position. A stop also brings them to one
position, as far as its time allows.

A snapshot comes before the log. Its position is fixed here, in a separate commit, before any query is started. Its
lanes are the sink's lanes while it lasts: all of them are at its position, each with a part of the
tables. When all are done, the lanes for the log are laid out from there. So nothing of the log is delivered
before the last row of the snapshot. `new_snapshot` says when another one is taken.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from functools import partial
from math import inf
from typing import TYPE_CHECKING
from weakref import WeakSet

from attrs import evolve, frozen

from tailrace.errors import ConfigError, ProgressError, RetriableError
from tailrace.link import Link
from tailrace.sinks.base import Claim, Confirm, unasked
from tailrace.source import lane_alignment, new_snapshot, skipped_notification, unmatched_lists
from tailrace.source.checkpoint_folder import folder_of
from tailrace.source.delivery import FORMAT, JOB_OPTION, DeliverySource
from tailrace.source.job import Job
from tailrace.source.lane_alignment import counted
from tailrace.source.lost_application import ApplicationWatch
from tailrace.source.query_errors import (
    failure_of_java,
    is_cancelled,
    is_dead_planner,
    is_dead_process,
    is_stopped,
    is_taken_over,
    lost_its_driver,
    may_be_lost,
)
from tailrace.source.retry import in_time, paused, retrying
from tailrace.source.slices import check_progress
from tailrace.source.slots import allocated_slots, require_slots, slots
from tailrace.source.stop_time import STOP_SECONDS, StopTime

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

POLL_SECONDS = 1.0  # how often it is looked whether to stop: each look is a call of Java, which a run at rest pays for
STOP_POLL_SECONDS = 0.05
SNAPSHOT_COMMIT_SECONDS = 3.0  # latency does not matter here, and each commit waits for the brokers
FAILURES_OF_JAVA = 3  # in a row; as often as Spark tries a task again on a cluster
QUIET_SECONDS = 60.0  # a query that ran this long has recovered from its predecessor's failure

Notice = Callable[[str], None]
Watch = Callable[[Callable[[], bool]], None]

_registering = threading.Lock()
_registered: WeakSet[SparkSession] = WeakSet()


def deliver(
    spark: SparkSession,
    job: Job,
    checkpoint: str,
    link: Link,
    *,
    available_now: bool,
    stop_requested: Callable[[], bool],
    notice: Notice,
    stop_seconds: float | Callable[[], float] = STOP_SECONDS,
    occupied: int = 0,
    confirm: Confirm = unasked,
) -> bool:
    """Deliver to the log's current head, or until stopped; return whether it was stopped.

    A stop may take `stop_seconds`, a function's once it is requested: for the last commit, and to bring lanes to one position.
    `occupied` is how many cores the session's other streams hold. `confirm` raises if another run has the lease, and is asked
    before lanes are claimed.

    Raises:
        ConfigError: Spark can't run the job's lanes in parallel.
        ProgressError: the lanes do not get to one position.

    """
    refuse_speculation(spark)
    if not (available_now or job.only_snapshot):
        require_slots(spark, job, notice, stop_requested, others=occupied)
    run = _Run(spark, checkpoint, link, StopTime(stop_requested, stop_seconds), notice, confirm)
    elsewhere = None if link.elsewhere is None else link.elsewhere.to_dict()
    return run.deliver(evolve(job, link=link.address, link_elsewhere=elsewhere), available_now=available_now)


@frozen
class _Run:
    """A run's context, for whatever job it currently has."""

    spark: SparkSession
    checkpoint: str
    link: Link
    stop: StopTime
    notice: Notice
    confirm: Confirm = unasked

    @property
    def stop_requested(self) -> Callable[[], bool]:
        """Says whether to stop."""
        return self.stop.stop_requested

    def deliver(self, job: Job, *, available_now: bool) -> bool:
        """Deliver everything, with a new snapshot if one is needed; return whether it was stopped."""
        claim = self._claimed(job)
        unmatched_lists.warn(job, claim, self.notice)
        why = new_snapshot.at_start(job, claim, self._asking(job))
        if not why:
            skipped_notification.send(job, claim, self._asking(job))
        while True:
            if why:
                self.notice(why)
            if why or self._is_first(job, claim):
                if paused(job.snapshot_delay_seconds, self.stop_requested):
                    return True
                claim = new_snapshot.begin(job, claim, self._snapshot_lanes(job), self._asking(job), self.confirm)
            try:
                return self._deliver(job, claim, available_now=available_now)
            except Exception as error:
                why = new_snapshot.after_failure(job, self._asking(job)) if may_be_lost(error) else ""
                if not why:
                    raise
                job, claim = self._claimed_again(job)

    def _is_first(self, job: Job, claim: Claim) -> bool:
        """Whether nothing is recorded, and the job is to begin with a snapshot.

        Raises:
            ProgressError: the checkpoint knows that something was recorded.

        """
        if job.snapshot_lanes is None or any(claim.progress):
            return False
        commits = (folder_of(self.spark, self.checkpoint) / "commits").glob("[0-9]*")
        check_progress(first=not any(commits), floor="", progress=None)
        return True

    def _deliver(self, job: Job, claim: Claim, *, available_now: bool) -> bool:
        """Deliver the snapshot, if any, then the log with the configured lanes; return whether it was stopped."""
        while lanes := _lanes_of_snapshot(claim):
            claim = self._claimed(evolve(job, lanes=lanes))
            if claim.lanes != lanes:
                raise ProgressError(
                    f"{job.target} has {counted(claim.lanes)}, and the snapshot in their progress was begun for {lanes}: "
                    "the progress was put together from different times; restore it, or begin anew"
                )
            old = ", to its end under the topic names of before" if claim.routing is not None else ""
            self.notice(f"reading the snapshot with {counted(lanes)}{old}")
            if self._read_snapshot(lane_alignment.as_recorded(job, claim, self._asking(job))):
                return True
            job, claim = self._claimed_again(job)
        return not job.only_snapshot and self._log(job, claim, available_now=available_now)

    def _read_snapshot(self, job: Job) -> bool:
        """Each lane's part; whether it was stopped."""
        pace = evolve(job.pace, commit_seconds=max(job.pace.commit_seconds, SNAPSHOT_COMMIT_SECONDS))
        reading = evolve(job, snapshot=uuid.uuid4().hex, pace=pace)
        return self._kept_up(reading, available_now=True)

    def _snapshot_lanes(self, job: Job) -> int:
        """The number of lanes for a snapshot that begins now."""
        found = max(slots(self.spark), 1)
        return min(job.snapshot_lanes or found, allocated_slots(self.spark) or found)

    def _log(self, job: Job, claim: Claim, *, available_now: bool) -> bool:
        """Deliver the log, after tables were assigned to lanes as configured; return whether it was stopped."""
        attempts = 0
        while lane_alignment.is_needed(job, claim):
            if attempts == lane_alignment.ATTEMPTS:
                raise ProgressError(lane_alignment.unchanged_notice(job, claim))
            self.notice(lane_alignment.alignment_notice(job, claim))
            meeting = self._alignment_job(job, claim, nearest=attempts == 0)
            if self._kept_up(meeting, available_now=True):
                return self._align_lanes(evolve(meeting, until=None))
            job, claim = self._claimed_again(job)
            attempts += 1
        return self._kept_up(job, available_now=available_now) and self._align_lanes(job)

    def _align_lanes(self, job: Job) -> bool:
        """After a stop: bring the job's lanes to one position if there is time, else give notice of that.

        Raises:
            FencedError: another run has taken them over.

        """
        if job.lanes > 1:
            try:
                is_together = evolve(self, stop=self.stop.for_more()).is_aligned(job)
            except Exception as error:  # everything is committed, and the next run can do this
                if is_taken_over(error):
                    raise
                self.notice(f"{lane_alignment.APART} ({next(iter(str(error).splitlines()), type(error).__name__)})")
            else:
                if not is_together:
                    self.notice(lane_alignment.APART)
        return True

    def is_aligned(self, job: Job) -> bool:
        """Whether all lanes are at one position now."""
        claim = in_time(lambda: lane_alignment.recorded(job), self.stop_requested)
        if claim.is_at_one_position or self.stop_requested():
            return claim.is_at_one_position
        self.notice(f"{counted(job.lanes)} to one position, before the end")
        self.link.let_tasks_work()
        return not self._kept_up(self._alignment_job(job, claim), available_now=True)

    def _alignment_job(self, job: Job, claim: Claim, *, nearest: bool = True) -> Job:
        """A job to a common boundary; a stop does not wait for it, since a transaction's end may be far away."""
        return in_time(
            lambda: lane_alignment.to_one_position(job, claim, self._asking(job), nearest=nearest), self.stop_requested
        )

    def _claimed(self, job: Job) -> Claim:
        """Take the sink over; with nothing recorded, for one lane. A stop does not wait for a target that hangs."""

        def claim() -> Claim:
            with closing(job.new_sink()) as sink:
                return lane_alignment.claimed(job, sink, self.confirm)

        return self._asking(job)(lambda: in_time(claim, self.stop_requested))

    def _claimed_again(self, job: Job) -> tuple[Job, Claim]:
        """Take the sink over after a query, in another name: a task of it that comes late must not open a lane beside this."""
        another = new_snapshot.another_run(job)
        return another, self._claimed(another)

    def _asking(self, job: Job) -> new_snapshot.Ask:
        """A caller that retries after retriable errors, at the job's pace."""
        return partial(retrying, job.pace, notice=self.notice, stopping=self.stop_requested)

    def _kept_up(self, job: Job, *, available_now: bool) -> bool:
        """Run the query, and restart it after a mishap of Spark's: the next task delivers what was not committed."""
        deaths = 0
        while True:
            began = time.monotonic()
            try:
                query = start(self.spark, job, self.checkpoint, self.link, available_now=available_now)
                return self._has_been_stopped(wait(query, self.link, self.stop, ApplicationWatch(self.spark).look))
            except Exception as error:
                if self.stop_requested() and (is_stopped(error) or lost_its_driver(error) or is_dead_planner(error)):
                    return True  # a planner has delivered nothing that could be missing
                deaths = deaths + 1 if time.monotonic() - began < QUIET_SECONDS else 1
                what, most = _mishap(error)
                if self.stop_requested() or not what or deaths > most or 0 <= job.pace.max_retries < deaths:
                    raise
                # at once the first time, since one death is often an accident; then 1 s, 2 s, 4 s …
                pause = 0 if deaths == 1 else min(job.pace.retry_seconds, 2.0 ** (deaths - 2))
                self.notice(f"{what}; another goes on from the last commit in {pause:g} s")
                if paused(pause, self.stop_requested):
                    return True

    def _has_been_stopped(self, stopped: bool) -> bool:
        """Whether the query ended before it was done; also where somebody else has ended it, such as the session's owner."""
        if stopped or self.link.has_reached_end():
            return stopped
        self.notice("Spark's query was stopped by something else than this run; the next one goes on from the last commit")
        return True


def _mishap(error: Exception) -> tuple[str, float]:
    """What happened to a query that another one may follow, and how often in a row; "" for other errors."""
    if is_dead_process(error):
        return "a process of Spark's has died", inf
    if lost_its_driver(error):
        return "tasks did not reach the driver for long", inf
    if is_cancelled(error):
        return "Spark's jobs were cancelled, as Ctrl-C in a script does", FAILURES_OF_JAVA
    failure = failure_of_java(error)
    return (f"a task has failed within Spark ({failure})", FAILURES_OF_JAVA) if failure else ("", 0)


def register(spark: SparkSession) -> None:
    """Tell a session of the data source, once: it takes Spark a third of a second. Another thread may have begun with it."""
    with _registering:
        if spark not in _registered:
            spark.dataSource.register(DeliverySource)
            _registered.add(spark)


def start(spark: SparkSession, job: Job, checkpoint: str, link: Link, *, available_now: bool) -> StreamingQuery:
    """Start delivering; with `available_now` the query ends at the log's current head."""
    register(spark)
    named = evolve(job, query=link.begin_query())
    figures = spark.readStream.format(FORMAT).option(JOB_OPTION, link.keep(named.to_json())).load()
    writer = figures.writeStream.format("noop").option("checkpointLocation", checkpoint)
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")
    return writer.start()


def wait(query: StreamingQuery, link: Link, stop_time: StopTime, watch: Watch = lambda _: None) -> bool:
    """Wait for the query's end, or stop it on request; return whether it was stopped.

    Raises:
        Exception: the query's error, or that of `watch`, which is called again and again.

    """
    while not query.awaitTermination(POLL_SECONDS):
        try:
            watch(stop_time.stop_requested)
            is_to_stop = stop_time.stop_requested()
        except Exception:  # another run has taken over: its tasks fence those of this one; or there are no tasks any more
            link.stop_tasks()
            query.stop()
            raise
        if is_to_stop:
            stop(query, link, stop_time.for_commit)
            return True
    return False


def stop(query: StreamingQuery, link: Link, seconds: float) -> None:
    """Let the running tasks make their last commit, then end the query; after `seconds` they are killed.

    Raises:
        RetriableError: the last commit did not come in time.
        Exception: the query's own error, if it failed meanwhile.

    """
    link.stop_tasks()
    deadline = time.monotonic() + seconds
    while working := query.isActive and _is_working(query):
        if time.monotonic() >= deadline:
            break
        time.sleep(STOP_POLL_SECONDS)
    query.stop()
    if working:  # by the last poll; an idle query keeps polling for work
        raise RetriableError(
            f"the last commit did not come within {seconds:.0f} s; what it would have held is delivered by the next run"
        )
    error = query.exception()
    if error is not None and not is_dead_planner(error):  # a planner has nothing left to do
        raise error


def refuse_speculation(spark: SparkSession) -> None:
    """Refuse speculative execution: concurrent attempts of a task would keep fencing each other."""
    if str(spark.conf.get("spark.speculation", "false")).lower() == "true":
        raise ConfigError("spark.speculation is on: tasks that deliver can't run twice at once; set it to false")


def _lanes_of_snapshot(claim: Claim) -> int:
    """The number of lanes of an unfinished snapshot; 0 if there is none."""
    if not any(progress and progress.snapshot_is_pending for progress in claim.progress):
        return 0
    return max(int(progress.snapshot["lanes"]) for progress in claim.progress if progress and progress.snapshot)


def _is_working(query: StreamingQuery) -> bool:
    status = query.status
    return bool(status["isTriggerActive"] or status["isDataAvailable"])
