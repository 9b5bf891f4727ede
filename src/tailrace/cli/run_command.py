"""`tailrace run`."""

from __future__ import annotations

from pathlib import Path

from tailrace.cli.cluster import ClusterOptions
from tailrace.cli.preparing import prepare_for_run
from tailrace.cli.running import run_job
from tailrace.cli.screen import Screen
from tailrace.config.remarks import notes_of, warnings_of
from tailrace.config.worker import Worker
from tailrace.streaming.clusters import is_this_machine, job_for
from tailrace.streaming.jobs import load_job
from tailrace.streaming.targets import Target, check_folder


def run_connector(
    config: Path,
    to: str,
    checkpoint: str | None,
    *,
    available_now: bool,
    master: str | None,
    stop_timeout: float,
    verbose: bool,
    take_over: bool,
    strict: bool,
    worker: Path | None,
    spark_options: ClusterOptions,
) -> None:
    """Run a connector until it is stopped, or to the log's end; ends with a line of totals."""
    from_worker = Worker.read(worker)
    target = Target.parse(from_worker.target(to) if from_worker else to, checkpoint)
    try:
        job, settings = load_job(config, target, from_worker, strict=strict)
        is_here = master is None or is_this_machine(master)
        if master is not None and not is_here:
            job = job_for(job, settings, master)
        check_folder(target)
        if is_here:  # elsewhere it is the executors that decode and encode
            prepare_for_run()
        with Screen(verbose=verbose, quiet_progress=to == "console") as screen:
            for note in notes_of(from_worker, settings):
                screen.notice(f"note: {note}")
            for warning in warnings_of(from_worker, settings):
                screen.notice(f"warning: {warning}")
            stopped = run_job(
                job,
                target,
                screen,
                available_now=available_now,
                master=master,
                spark_options=spark_options,
                stop_timeout=stop_timeout,
                verbose=verbose,
                take_over=take_over,
            )
        screen.finish("stopped" if stopped else "done")
    finally:
        target.discard()
