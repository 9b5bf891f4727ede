"""`tailrace.stream`: a connector's job in a Spark session of the user's own.

It is the job of `tailrace run`, on a thread beside whatever else the session does: in a notebook, in a script that
`spark-submit` runs, on a platform that brings its Spark along. It makes no session, closes none, and handles no signals.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.config.worker import Worker
from tailrace.link import Link
from tailrace.source.checkpoint_folder import qualified
from tailrace.source.job import Job
from tailrace.source.preflight import Preflight
from tailrace.source.run import refuse_speculation
from tailrace.source.slots import require_slots
from tailrace.source.stop_time import STOP_SECONDS
from tailrace.streaming import occupied
from tailrace.streaming.clusters import job_for, listen_for
from tailrace.streaming.handle import Stream
from tailrace.streaming.jobs import load_job
from tailrace.streaming.messages import Messages
from tailrace.streaming.session_checks import is_local, require_session
from tailrace.streaming.status import StreamStatus
from tailrace.streaming.targets import Target, check_folder
from tailrace.streaming.worker_trial import try_worker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def stream(
    spark: SparkSession,
    config: str | os.PathLike[str] | Mapping[str, Any],
    *,
    to: str,
    checkpoint: str | os.PathLike[str] | None = None,
    available_now: bool = False,
    take_over: bool = False,
    strict: bool = False,
    worker: str | os.PathLike[str] | None = None,
    stop_timeout: float = STOP_SECONDS,
    link_port: int = 0,
    on_notice: Callable[[str], None] | None = None,
    on_progress: Callable[[StreamStatus], None] | None = None,
    on_event: Callable[[str], None] | None = None,
) -> Stream:
    """Start delivering a database's changes, as `tailrace run` does, and return at once.

    What is wrong with the configuration, the session, the login or the target is raised here, before anything is read.

    Args:
        spark: the session. It stays open when the stream ends.
        config: the connector's configuration: the path of a file, Kafka Connect's JSON as a text, or as a dictionary, with or
            without `name` and `config` around the properties.
        to: where events go: `kafka:HOST:PORT[,HOST:PORT...]`, or, where Spark runs on one machine, `files:DIR` or `console`.
            With `worker`, `kafka` means the worker's brokers.
        checkpoint: the folder of Spark's checkpoint, on any file system that Spark knows. Without it `files` has one beside the
            progress, and the others a temporary one: the progress is what counts.
        available_now: whether to end where the log ends now, instead of following it.
        take_over: whether to take over at once from another run of this connector that is at work, or seems to be.
        strict: whether names that are no property of the connector are an error, not a warning.
        worker: the file of the Kafka Connect worker that the connector ran in; converters, config providers and settings of
            Kafka's clients are taken from it where the connector has none.
        stop_timeout: how many seconds a stop may take, for the last commits and for bringing lanes to one position.
        link_port: on which the driver listens for figures of tasks on other machines, and tells them to stop; 0 for any that is
            free. Where executors do not reach it, figures are missing and a stop takes all of its time.
        on_notice: gets each line for people: warnings, retries. They also go to the logger `tailrace.stream`.
        on_progress: gets the status after each commit, on a thread of the stream's own; what it raises is logged.
        on_event: with `to="console"`: gets each record as a line of JSON, and ends the stream if it raises; without it the
            records are printed.

    Returns:
        The running stream.

    Raises:
        ConfigError: the configuration is wrong, or the session can't run it.
        UnsupportedError: the configuration, or the kind of session, is not supported.
        FencedError: another run delivers to the target.
        TailraceError: the database or the target refuses; the message says what to do.

    """
    messages = Messages(on_notice, on_progress, on_event)
    with ExitStack() as until_started:
        from_worker = Worker.read(None if worker is None else Path(worker))
        require_session(spark)
        refuse_speculation(spark)
        target = Target.parse(from_worker.target(to) if from_worker else to, None if checkpoint is None else str(checkpoint))
        until_started.callback(target.discard)
        job, settings = load_job(_config(config), target, from_worker, strict=strict)
        job = job_for(job, settings, str(spark.sparkContext.master))
        messages.tell_of(from_worker, settings)
        if not (available_now or job.only_snapshot):
            _require_slots(spark, job, messages)
        if checkpoint is not None:
            scheme = "file:" if str(checkpoint).startswith("file:") else ""  # else it is of Spark's own file system
            target = target.at(qualified(spark, f"{scheme}{target.checkpoint}"))
        check_folder(target)
        link = Link(messages.handle)
        until_started.callback(link.close)
        listen_for(spark, link, messages.notice, port=link_port)
        look = Preflight(job, messages.notice, take_over=take_over)
        until_started.callback(look.close)
        try_worker(spark)
        look.before_spark()
        started = Stream(
            spark, job, target, link, look, messages, available_now=available_now, stop_seconds=stop_timeout
        )
        until_started.pop_all()
    started._start()  # noqa: SLF001 -- nobody else may
    return started


def _require_slots(spark: SparkSession, job: Job, messages: Messages) -> None:
    """Require a core for each lane where no more can come; a cluster's executors are waited for later."""
    if is_local(spark):
        others = occupied.others(spark.sparkContext.applicationId)
        require_slots(spark, job, messages.notice, lambda: False, others=others)


def _config(given: str | os.PathLike[str] | Mapping[str, Any]) -> Path | str | Mapping[str, Any]:
    """A path as one, and JSON as it is."""
    if isinstance(given, Mapping):
        return given
    text = os.fspath(given)
    return text if isinstance(given, str) and text.lstrip().startswith("{") else Path(text)
