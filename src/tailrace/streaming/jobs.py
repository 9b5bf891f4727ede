"""A connector's configuration as a job."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tailrace.config.history_topic import without_history_topic
from tailrace.config.properties.snapshots import ONLY_SNAPSHOT, WITH_NEW_SNAPSHOT, WITH_ROWS
from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connectors.converter_settings import require_json_headers, require_text
from tailrace.connectors.load import load_with_document
from tailrace.source.job import Job, Pace
from tailrace.streaming.targets import Target

LANES_SLICE_SECONDS: Final = 60.0  # without a link, a lane that ended early waits for the others' turns


def load_job(
    config: Path | str | Mapping[str, Any], target: Target, worker: Worker | None = None, *, strict: bool = False
) -> tuple[Job, Settings]:
    """The job of a connector's configuration, with its Connect worker's settings.

    Args:
        config: a file, its text if that is JSON, or what such a text says.
        target: where the job delivers to.
        worker: the settings of a Connect worker.
        strict: whether unknown property names are an error.

    Raises:
        ConfigError: something is wrong with it.

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
