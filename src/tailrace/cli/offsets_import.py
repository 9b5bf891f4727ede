"""`tailrace offsets import`: go on where a stopped Debezium connector is, with its offset and its schema history."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from tailrace.cli.offsets_target import Kept
from tailrace.config.settings import Settings
from tailrace.connect_offsets.entries import Offset, find
from tailrace.connect_offsets.stores import open_store
from tailrace.connectors import taking_over
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.errors import ConfigError, ProgressError, StructureError
from tailrace.schema.kept import schema_history_of

REBUILT = "recovery"  # the snapshot mode that builds the history again from the tables as they are


def import_(config: Path, to: str, source: str, name: str | None, checkpoint: Path | None, *, force: bool) -> None:
    """Store the offset's position and the history up to it with the target's progress."""
    kept = Kept.of(config, to, checkpoint)
    settings = kept.settings
    store = open_store(source, settings)
    if not store.exists():
        raise ConfigError(f"there is no offset to take over: {store} does not exist")
    if not force:
        _refuse_progress(kept, to)
    connector = taking_over(settings)
    entry = find(store.load(), name or settings.name, connector.partition_of(settings), str(store))
    restart = connector.restart_of(settings, entry.offset)
    history = _history(settings, connector, entry.offset)
    kept.store(Progress("", restart), lambda _: history)
    typer.echo(
        f"took over {entry} at {_place(entry.offset)}, with {len(history)} records of the schema history: "
        f"the next run to {to} goes on there"
    )


def _refuse_progress(kept: Kept, to: str) -> None:
    if lanes := kept.lanes():
        raise ProgressError(
            f"{to} has progress already ({lanes[0].delivered or 'nothing delivered'}): to go on from Debezium's offset "
            "instead, say --force; what was delivered since then is delivered again"
        )


def _history(settings: Settings, connector: Any, offset: Offset) -> Sequence[HistoryRecord]:
    """The records of Debezium's schema history that hold at the offset."""
    place = schema_history_of(settings)
    records = place.load() if place is not None else []
    own = [record for record in records if record["source"] == connector.partition_of(settings)]
    known: Sequence[HistoryRecord] = connector.history_of(own, offset)
    if known or settings.snapshot_mode == REBUILT:
        return known
    why = f"{place} has no record of {settings.topic_prefix} at the offset" if place else "the configuration names none"
    raise StructureError(
        f"there is no schema history to take over: {why}; name Debezium's in schema.history.internal.file.filename or "
        f"schema.history.internal.kafka.topic, or set snapshot.mode={REBUILT} where no table was changed since the offset"
    )


def _place(offset: Offset) -> str:
    within = f", {offset['event']} events into a transaction" if offset.get("event") else ""
    return f"{offset['file']}:{offset.get('pos')}{within}"
