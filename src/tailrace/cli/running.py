"""`tailrace run`: from a configuration to a running job, and its clean end."""

from __future__ import annotations

import math
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType

from attrs import field, frozen

from tailrace.cli.checkpoint_errors import checkpoint_errors
from tailrace.cli.exit_codes import INTERRUPTED
from tailrace.cli.failures import is_stop
from tailrace.cli.screen import Screen
from tailrace.cli.session import start_session
from tailrace.config.history_topic import without_history_topic
from tailrace.config.properties.snapshots import ONLY_SNAPSHOT, WITH_NEW_SNAPSHOT, WITH_ROWS
from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connectors.converter_settings import require_json_headers, require_text
from tailrace.connectors.load import load_with_document
from tailrace.errors import ConfigError
from tailrace.link import Link
from tailrace.sinks import check_target
from tailrace.sinks.files import OWN_FOLDER
from tailrace.source.job import Job, Pace
from tailrace.source.log_lines import lines_to
from tailrace.source.preflight import preflight
from tailrace.source.stop_time import STOP_SECONDS
from tailrace.starting.session_java import make_archive

CHECKPOINT = "checkpoint"
PROGRESS = "progress"
LANES_SLICE_SECONDS = 60.0  # a lane that ended early waits for the others' turns
SHOW_CURSOR = "\x1b[?25h"


@frozen(kw_only=True)
class Target:
    """A target with the folders that belong to it.

    Attributes:
        text: as `open_sink` takes it.
        checkpoint: the folder of Spark's checkpoint.
        temporary: a folder to be removed at the end; None where progress is kept.

    """

    text: str
    checkpoint: Path
    temporary: Path | None = field(default=None)

    @classmethod
    def parse(cls, to: str, checkpoint: Path | None) -> Target:
        """From `--to` and `--checkpoint`."""
        check_target(to)
        kind, _, place = to.partition(":")
        if kind == "files":
            folder = Path(place).expanduser().absolute()
            return cls(text=f"files:{folder}", checkpoint=checkpoint or folder / OWN_FOLDER / CHECKPOINT)
        temporary = None if checkpoint else Path(tempfile.mkdtemp(prefix=f"tailrace-{kind}-"))
        folder = (checkpoint or temporary or Path()).absolute()
        # Kafka stores the progress, so that a checkpoint is only one more guard against its loss
        text = to if kind == "kafka" else f"console:{folder / PROGRESS}"
        return cls(text=text, checkpoint=folder / CHECKPOINT, temporary=temporary)

    def discard(self) -> None:
        """Remove what is not to be kept."""
        if self.temporary is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)


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


def load_job(
    config: Path, target: Target, worker: Worker | None = None, *, strict: bool = False
) -> tuple[Job, Settings]:
    """The job of a configuration file, with its Connect worker's settings.

    With `strict` unknown property names are an error.
    """
    document, settings = load_with_document(config, worker, strict=strict)
    is_kafka = target.text.startswith("kafka:")
    if not is_kafka:
        require_text(settings, f"--to {target.text}", json_only=True)
        require_json_headers(settings, f"--to {target.text}")
        document, settings = without_history_topic(document, settings)
    lanes = settings.tasks_max if is_kafka and not settings.topics_by_content else 1
    pace = Pace(
        slice_seconds=min(settings.tailrace_slice_ms / 1000, LANES_SLICE_SECONDS if lanes > 1 else math.inf),
        commit_at_head=is_kafka,  # a transaction costs some milliseconds; a commit to files creates a file
        max_retries=settings.errors_max_retries,
        retry_seconds=settings.retriable_restart_connector_wait_ms / 1000,
    )
    job = Job(
        document=document,
        source=source_name(settings),
        target=target.text,
        pace=pace,
        lanes=lanes,
        snapshot_lanes=snapshot_lanes(settings, is_kafka=is_kafka),
        only_snapshot=settings.snapshot_mode == ONLY_SNAPSHOT,
        snapshot_again=settings.snapshot_mode if settings.snapshot_mode in WITH_NEW_SNAPSHOT else "",
        snapshot_delay_seconds=settings.snapshot_delay_ms / 1000 if settings.snapshot_mode in WITH_ROWS else 0.0,
    )
    return job, settings


def snapshot_lanes(settings: Settings, *, is_kafka: bool) -> int | None:
    """How many tasks read a new job's snapshot; 0: as many as Spark has cores; None: no snapshot."""
    if settings.snapshot_mode not in WITH_ROWS:
        return None
    return settings.snapshot_max_threads or 0 if is_kafka else 1


def source_name(settings: Settings) -> str:
    """The connector's name in progress records: its kind and the topic prefix."""
    kind = settings.connector_class.rpartition(".")[2].removesuffix("Connector").lower()
    return f"{kind} {settings.topic_prefix}"


def run_job(
    job: Job,
    target: Target,
    screen: Screen,
    *,
    available_now: bool,
    verbose: bool,
    master: str | None = None,
    stop_timeout: float = STOP_SECONDS,
    stop: StopSignal | None = None,
    take_over: bool = False,
) -> bool:
    """Run to the end, or until stopped; return whether it was stopped. With `take_over` despite another active run."""
    with (
        closing(Link(screen.handle)) as link,
        lines_to(screen.handle),
        preflight(job, screen.notice, take_over=take_over) as look,
    ):
        from tailrace.source import run  # imports Spark's modules, which takes as long as the first look

        look.before_spark()
        make_archive(screen.notice)
        screen.say("starting Spark")
        with (
            start_session(master=master or local_master(job), verbose=verbose) as spark,
            (stop or StopSignal()).watched() as signal_,
            checkpoint_errors(target.checkpoint),
        ):
            try:
                look.with_spark(signal_.stop_requested)
                screen.say("reading the log")
                return run.deliver(
                    spark,
                    job,
                    str(target.checkpoint),
                    link,
                    available_now=available_now,
                    stop_requested=look.watching(signal_.stop_requested),
                    notice=screen.notice,
                    stop_seconds=stop_timeout,
                )
            except Exception as error:
                if signal_.stop_requested() and is_stop(error):
                    return True
                raise


def local_master(job: Job) -> str:
    """Spark on this machine, with a core for each lane."""
    return f"local[{max(2, job.lanes, job.snapshot_lanes or 0)}]"


def check_folder(target: Target) -> None:
    """Raise `ConfigError` if the target's folder, or the checkpoint's, can't be created or written."""
    folder = target.checkpoint
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"can't make the folder {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"can't write to the folder {folder}: let tailrace's user write there, or name another")
