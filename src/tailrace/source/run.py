"""Running a job on a Spark session: start the query, wait, stop it in good order."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tailrace.errors import ConfigError
from tailrace.source.delivery import FORMAT, JOB_OPTION, DeliverySource
from tailrace.source.job import Job
from tailrace.source.link import Link

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

POLL_SECONDS = 0.2
GRACE_SECONDS = 20.0


def start(spark: SparkSession, job: Job, checkpoint: str, *, available_now: bool) -> StreamingQuery:
    """Start delivering; with `available_now` the query ends at the log's head of this moment."""
    refuse_speculation(spark)
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
    """Let the running task make its last commit, then end the query; after a grace period the task is killed."""
    link.stop_tasks()
    deadline = time.monotonic() + GRACE_SECONDS
    while query.isActive and _is_working(query) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS / 4)
    query.stop()


def refuse_speculation(spark: SparkSession) -> None:
    """Two attempts of a task at once would take the lane from each other again and again."""
    if str(spark.conf.get("spark.speculation", "false")).lower() == "true":
        raise ConfigError("spark.speculation is on: tasks that deliver can't run twice at once; set it to false")


def _is_working(query: StreamingQuery) -> bool:
    status = query.status
    return bool(status["isTriggerActive"] or status["isDataAvailable"])
