"""`tailrace offsets export`: hand back to Debezium, with the offset and the schema history to resume from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from tailrace.cli.offsets_target import StoredProgress
from tailrace.connect_offsets.entries import compact, key_for
from tailrace.connect_offsets.stores import open_store, require_own_topic
from tailrace.connectors import taking_over
from tailrace.connectors.base import HistoryRecord, Progress
from tailrace.errors import ProgressError, StructureError
from tailrace.schema_history.configured import schema_history_of
from tailrace.signals.moved_work import is_at_work


def export(config: Path, to: str, destination: str, name: str | None, checkpoint: str | None, worker: Path | None) -> None:
    """Write the delivered position as Debezium's offset, and the history where the configuration says."""
    kept = StoredProgress.of(config, to, checkpoint, worker)
    settings = kept.settings
    require_own_topic(destination, settings)
    store = open_store(destination, settings)
    connector = taking_over(settings)
    offsets = connector.offsets_of(settings, _one_position(kept.claimed(), to))
    told = _copy_history(kept, kept.history(), lambda records: connector.too_early(records, offsets), connector.WHY_TOO_EARLY)
    name = name or settings.name
    for (partition, *_), offset in zip(connector.partitions_of(settings), offsets, strict=True):
        store.store(key_for(store.load(), name, partition), compact(offset).encode())
        typer.echo(f"{name} {compact(partition)} goes on at {compact(offset)}: stored in {store}, {told}")


def _one_position(lanes: Sequence[Progress], to: str) -> Progress:
    if any(lane.snapshot_is_pending for lane in lanes):
        raise ProgressError(
            f"the snapshot into {to} is not read to its end, and Debezium can't go on with it: let it end (tailrace run ... "
            "--available-now), and export again"
        )
    if any(is_at_work(lane.signalled) for lane in lanes):
        raise ProgressError(
            f"a snapshot into {to} that a signal asked for is not read to its end, and Debezium can't go on with it: let it "
            "end, or end it with a stop-snapshot signal, and export again"
        )
    if any((lane.delivered, lane.restart) != (lanes[0].delivered, lanes[0].restart) for lane in lanes):
        positions = ", ".join(lane.delivered or "nothing" for lane in lanes)
        raise ProgressError(
            f"the {len(lanes)} lanes of {to} stand at different positions ({positions}), and Debezium's offset has only "
            "one: bring them together (tailrace run ... --available-now, to its end), and export again"
        )
    return lanes[0]


def _copy_history(
    kept: StoredProgress,
    records: Sequence[HistoryRecord],
    too_early: Callable[[Sequence[HistoryRecord]], int],
    why: str,
) -> str:
    """Add what Debezium's history lacks; return a sentence about it."""
    place = schema_history_of(kept.settings)
    if place is None:
        return (
            "without a schema history, as the configuration names none: Debezium needs snapshot.mode=recovery to start"
        )
    there = place.load()
    if not (records or there):
        raise StructureError(f"{kept.target.text} has no schema history, nor has {place}: Debezium could not go on")
    if behind := too_early([*there, *records]):
        raise ProgressError(
            f"{place} has {behind} statements from behind the delivered position, and {why}: read on past them first "
            "(tailrace run ... --available-now), and export again"
        )
    return f"{place.append(records)} records added to the schema history"
