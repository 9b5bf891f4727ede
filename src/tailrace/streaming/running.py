"""A job on a Spark session that is there: from the lease to a clean end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from tailrace.errors import ProgressError, RetriableError
from tailrace.source import run
from tailrace.source.checkpoint_folder import HadoopFolder, qualified
from tailrace.source.job import Job
from tailrace.source.preflight import Preflight
from tailrace.source.stop_time import STOP_SECONDS
from tailrace.streaming import occupied
from tailrace.streaming.checkpoint_errors import checkpoint_errors
from tailrace.streaming.clusters import is_this_machine
from tailrace.streaming.failures import is_stop, unwrapped
from tailrace.streaming.targets import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tailrace.link import Link
    from tailrace.sinks.lease import Notice


def run_on(
    spark: SparkSession,
    job: Job,
    target: Target,
    link: Link,
    look: Preflight,
    *,
    available_now: bool,
    stop_requested: Callable[[], bool],
    notice: Notice,
    say: Callable[[str], None],
    stop_seconds: float | Callable[[], float] = STOP_SECONDS,
) -> bool:
    """Run to the end, or until stopped; return whether it was stopped.

    Args:
        spark: the session; it stays open.
        job: what to deliver.
        target: where to; the job's.
        link: to its tasks.
        look: the checks before the start, which hold the lease.
        available_now: whether it ends where the log ends now.
        stop_requested: polled.
        notice: gets lines for people.
        say: gets what is being done.
        stop_seconds: how long a stop may take.

    """
    checkpoint, place = target.checkpoint, str(target.checkpoint)
    if isinstance(checkpoint, str):
        place = qualified(spark, checkpoint)
    elif not is_this_machine(str(spark.sparkContext.master)):
        place = f"file:{place}"  # a cluster may take another file system for paths
    with checkpoint_errors(HadoopFolder(spark, checkpoint) if isinstance(checkpoint, str) else checkpoint):
        try:
            threading.Thread(target=_register, args=(spark,), daemon=True, name="tailrace-source").start()
            look.with_spark(stop_requested)
            say("reading the log")
            follows = not (available_now or job.only_snapshot)
            application = spark.sparkContext.applicationId
            others = occupied.others(application)
            with occupied.held(application, job.lanes if follows else 0):
                return run.deliver(
                    spark,
                    job,
                    place,
                    link,
                    available_now=available_now,
                    stop_requested=look.watching(stop_requested),
                    notice=notice,
                    stop_seconds=stop_seconds,
                    occupied=others,
                    confirm=look.confirm,
                )
        except Exception as error:
            if stop_requested() and is_stop(error):
                return True
            if isinstance(unwrapped(error), ProgressError):
                with suppress(RetriableError):
                    look.confirm()  # what another run has recorded since is no progress of this one that was lost
            raise


def _register(spark: SparkSession) -> None:
    """Register the data source while the run takes its target over; the query's start does it, and fails, if this could not."""
    with suppress(Exception):
        run.register(spark)
