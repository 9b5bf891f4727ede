"""`tailrace offsets`: the progress of a target, shown as JSON and set from JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from tailrace.cli.offsets_target import StoredProgress
from tailrace.connectors import restart_from
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.errors import ConfigError, ProgressError
from tailrace.signals.moved_work import restarted
from tailrace.sinks.base import RecordedState


def show(config: Path, to: str, checkpoint: str | None, worker: Path | None) -> None:
    """Print `{"delivered", "restart"}`, and `signalled` where signals asked for something; of several lanes a list."""
    lanes = StoredProgress.of(config, to, checkpoint, worker).lanes()
    if not lanes:
        raise ProgressError(f"nothing was delivered to {to} yet: there is no progress")
    shown = [_shown(lane) for lane in lanes]
    typer.echo(json.dumps(shown if len(shown) > 1 else shown[0], indent=2))


def set_(config: Path, to: str, position: str, checkpoint: str | None, worker: Path | None) -> None:
    """Store a restart position; nothing counts as delivered beyond it."""
    kept = StoredProgress.of(config, to, checkpoint, worker)
    restart = restart_from(kept.settings, _parsed(position))
    begun: list[HistoryRecord] = []

    def history(opened: RecordedState) -> Sequence[HistoryRecord]:
        if not (opened.history or begun):
            begun.extend(kept.job.new_connector().start_point().history)
        return [] if opened.history else begun

    signalled = restarted([lane.signalled for lane in kept.lanes()])
    kept.store(Progress("", restart, signalled=signalled), history)
    typer.echo(f"the next run reads from {json.dumps(restart)}")


def _shown(lane: Progress) -> Mapping[str, Any]:
    shown: Mapping[str, Any] = {"delivered": lane.delivered, "restart": lane.restart}
    return shown if lane.signalled is None else {**shown, "signalled": lane.signalled}


def _parsed(position: str) -> Mapping[str, Any]:
    try:
        given = json.loads(position)
    except json.JSONDecodeError as error:
        raise ConfigError(f"the position is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise ConfigError('the position is not a JSON object such as {"file": "binlog.000003", "pos": 154}')
    restart: Mapping[str, Any] = given.get("restart", given)
    return restart
