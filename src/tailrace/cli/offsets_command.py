"""`tailrace offsets`: the progress of a target, shown as JSON and set from JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import typer

from tailrace.cli.running import Target, load_job
from tailrace.config.settings import Settings
from tailrace.connectors import restart_from
from tailrace.connectors.base import Progress
from tailrace.errors import ConfigError, ProgressError
from tailrace.source.job import Job
from tailrace.source.slices import LANE


def show(config: Path, to: str, checkpoint: Path | None) -> None:
    """Print `{"delivered", "restart"}`."""
    job, _, _ = _job(config, to, checkpoint)
    progress = job.new_sink().peek(LANE)
    if progress is None:
        raise ProgressError(f"nothing was delivered to {to} yet: there is no progress")
    typer.echo(json.dumps({"delivered": progress.delivered, "restart": progress.restart}, indent=2))


def set_(config: Path, to: str, position: str, checkpoint: Path | None) -> None:
    """Store a restart position; nothing counts as delivered beyond it."""
    job, settings, target = _job(config, to, checkpoint)
    restart = restart_from(settings, _parsed(position))
    with closing(job.new_sink()) as sink:
        opened = sink.open(LANE)
        new = () if opened.history else tuple(job.new_connector().start_point().history)
        sink.commit(Progress("", restart), new)
    shutil.rmtree(target.checkpoint, ignore_errors=True)  # it remembers the old position as a floor
    typer.echo(f"the next run reads from {json.dumps(restart)}")


def _job(config: Path, to: str, checkpoint: Path | None) -> tuple[Job, Settings, Target]:
    if to == "console" and checkpoint is None:
        raise ConfigError("--to console keeps no progress without --checkpoint DIR")
    target = Target.parse(to, checkpoint)
    return (*load_job(config, target), target)


def _parsed(position: str) -> Mapping[str, Any]:
    try:
        given = json.loads(position)
    except json.JSONDecodeError as error:
        raise ConfigError(f"the position is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise ConfigError('the position is not a JSON object such as {"file": "binlog.000003", "pos": 154}')
    restart: Mapping[str, Any] = given.get("restart", given)
    return restart
