"""`tailrace offsets import`: resume where a stopped Debezium connector is, with its offset and its schema history."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from tailrace.cli.offsets_target import StoredProgress
from tailrace.config.settings import Settings
from tailrace.config.worker import Worker
from tailrace.connect_offsets.entries import Offset, find_any
from tailrace.connect_offsets.stores import open_store, place_of, require_own_topic
from tailrace.connectors import taking_over
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.connectors.interface import TakingOver
from tailrace.errors import ConfigError, ProgressError, StructureError
from tailrace.schema_history.configured import schema_history_of

REBUILT = "recovery"  # the snapshot mode that rebuilds the history from the current tables


def import_(
    config: Path,
    to: str,
    source: str | None,
    name: str | None,
    checkpoint: str | None,
    worker: Path | None,
    *,
    force: bool,
) -> None:
    """Store the offset's position and the history up to it with the target's progress."""
    from_worker = Worker.read(worker)
    if source is None and from_worker is None:
        raise ConfigError("say where Kafka Connect keeps its offsets: --from, or --worker with the worker's file")
    kept = StoredProgress.of(config, to, checkpoint, worker)
    settings = kept.settings
    place = source or (place_of(from_worker, settings) if from_worker else "")
    require_own_topic(place, settings)
    store = open_store(place, settings)
    if not store.exists():
        raise ConfigError(f"there is no offset to take over: {store} does not exist")
    if not force:
        _refuse_progress(kept, to)
    connector = taking_over(settings)
    stored = store.load()
    partitions = connector.partitions_of(settings)
    entries = [find_any(stored, name or settings.name, forms, str(store)) for forms in partitions]
    offsets = [entry.offset for entry in entries]
    restart = connector.restart_of(settings, offsets)
    history = _history(settings, connector, offsets)
    kept.store(Progress("", restart), lambda _: history)
    places = ", ".join(f"{entry} at {connector.offset_text(entry.offset)}" for entry in entries)
    typer.echo(
        f"took over {places}, with {len(history)} records of the schema history: the next run to {to} goes on there"
    )


def _refuse_progress(kept: StoredProgress, to: str) -> None:
    if lanes := kept.lanes():
        raise ProgressError(
            f"{to} has progress already ({lanes[0].delivered or 'nothing delivered'}): to go on from Debezium's offset "
            "instead, say --force; what was delivered since then is delivered again"
        )


def _history(settings: Settings, connector: TakingOver, offsets: Sequence[Offset]) -> Sequence[HistoryRecord]:
    """The records of Debezium's schema history that hold at the offsets."""
    place = schema_history_of(settings)
    records = place.load() if place is not None else []
    sources = [form for forms in connector.partitions_of(settings) for form in forms]
    own = [record for record in records if record["source"] in sources]
    known = connector.history_of(own, offsets)
    if known or settings.snapshot_mode == REBUILT or not connector.NEEDS_HISTORY:
        return known
    why = f"{place} has no record of {settings.topic_prefix} at the offset" if place else "the configuration names none"
    raise StructureError(
        f"there is no schema history to take over: {why}; name Debezium's in schema.history.internal.file.filename or "
        f"schema.history.internal.kafka.topic, or set snapshot.mode={REBUILT} where no table was changed since the offset"
    )
