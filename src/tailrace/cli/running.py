"""`tailrace run`: a job on a session of its own, with signals and a screen."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType

from tailrace.cli import java_start
from tailrace.cli.cluster import ClusterOptions, settings_for
from tailrace.cli.exit_codes import INTERRUPTED
from tailrace.cli.screen import Screen
from tailrace.cli.session import start_session, starts_directly
from tailrace.cli.session_settings import local_master
from tailrace.errors import StoppedError
from tailrace.link import Link
from tailrace.source.job import Job
from tailrace.source.log_lines import lines_to
from tailrace.source.preflight import preflight
from tailrace.source.stop_time import STOP_SECONDS
from tailrace.starting import library_pages
from tailrace.starting.session_java import make_archive
from tailrace.streaming.clusters import listen_for
from tailrace.streaming.targets import Target

SHOW_CURSOR = "\x1b[?25h"


class StopSignal:
    """The first Ctrl-C or SIGTERM requests a clean stop; a second Ctrl-C ends the process immediately."""

    def __init__(self) -> None:
        self._taken = False

    def stop_requested(self) -> bool:
        """Whether to stop; the waiting code polls this."""
        return self._taken

    @contextmanager
    def watched(self) -> Iterator[StopSignal]:
        """Listen until the end of the block; enter it after the session has started, since that handles Ctrl-C too."""
        before = {number: signal.signal(number, self._take) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._taken and number == signal.SIGINT:
            sys.stderr.write(SHOW_CURSOR if sys.stderr.isatty() else "")
            sys.stderr.flush()
            os._exit(INTERRUPTED.number)  # Java ends with this process, and the tasks with Java
        self._taken = True


def run_job(
    job: Job,
    target: Target,
    screen: Screen,
    *,
    available_now: bool,
    verbose: bool,
    master: str | None = None,
    spark_options: ClusterOptions | None = None,
    stop_timeout: float = STOP_SECONDS,
    stop: StopSignal | None = None,
    take_over: bool = False,
    archive: bool = True,
) -> bool:
    """Run to the end, or until stopped; return whether it was stopped. With `take_over` despite another active run.

    `archive`: whether a missing archive of Spark's classes is made first, which pays from the next start on.
    """
    master = master or local_master(max(job.lanes, job.snapshot_lanes or 0))
    options = spark_options or ClusterOptions()
    spark_settings = settings_for(master, options)
    for note in spark_settings.notes:
        screen.notice(note)
    has_java = java_start.is_started()  # with an archive, or knowing that there can't be one
    with (
        closing(Link(screen.handle)) as link,
        lines_to(screen.handle),
        preflight(job, screen.notice, take_over=take_over) as look,
    ):
        from tailrace.streaming.running import run_on  # imports Spark's modules, which takes as long as the first look
        from tailrace.streaming.worker_trial import try_worker

        look.before_spark(java_start.is_session_there)
        if archive and not has_java:
            make_archive(screen.notice, directly=starts_directly(master, spark_settings))
        screen.say("starting Spark")
        with (
            start_session(master=master, verbose=verbose, settings=spark_settings) as spark,
            (stop or StopSignal()).watched() as signal_,
        ):
            library_pages.give_back()
            listen_for(spark, link, screen.notice, port=options.link_port)
            if not master.startswith("local["):
                screen.say("trying a worker")
                try:
                    try_worker(spark, signal_.stop_requested)
                except StoppedError:
                    return True
            return run_on(
                spark,
                job,
                target,
                link,
                look,
                available_now=available_now,
                stop_requested=signal_.stop_requested,
                notice=screen.notice,
                say=screen.say,
                stop_seconds=stop_timeout,
            )
