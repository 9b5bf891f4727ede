"""The model's costs: from this program's results, and from those of the other benchmarks."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.measuring.results import Results
from bench.scaling.model import LogCosts, SnapshotCosts

FOLDER: Final = Path(__file__).resolve().parent.parent / "results"
SKIP_CPU: Final = 0.07 / 240_000  # docs/concepts/lanes.md: a lane that owns no table
MAIN: Final = {"compression": "lz4", "schemas": "off", "side": "tailrace"}
SECONDS: Final = 1e-6  # the other benchmarks have CPU seconds a million


def snapshot_costs(results: Results) -> SnapshotCosts:
    """Of a row: a snapshot with one lane beside its servers (`snapshots.jsonl`), and bytes from here."""
    run = _of(Results.read(FOLDER / "snapshots.jsonl"), "initial", threads="1")
    return SnapshotCosts(
        lane_rate=run["rate"],
        lane_cpu=run["python_cpu"] * SECONDS,
        source_cpu=run["mysql_cpu"] * SECONDS,
        broker_cpu=run["broker_cpu"] * SECONDS,
        row_bytes=results.of("bytes")[0]["row_bytes"],
        wire_bytes=results.of("chunk")[-1]["wire_bytes_a_row"],
        record_bytes=run["kafka_bytes"] / run["rows"],
    )


def log_costs(results: Results) -> LogCosts:
    """Of a change: a log with one lane beside its servers (`into-kafka.jsonl`), and bytes from here.

    How far a record of the log is compressed was not measured; it is taken to be as far as a row of a snapshot.
    """
    run = _of(Results.read(FOLDER / "into-kafka.jsonl"), "rate", workload="orders", metadata="MINIMAL")
    rows = _of(Results.read(FOLDER / "snapshots.jsonl"), "initial", threads="1")
    compressed = rows["kafka_bytes"] / rows["rows"] / rows["value_bytes"]
    return LogCosts(
        own_cpu=run["python_cpu"] * SECONDS,
        skip_cpu=SKIP_CPU,
        dump_cpu=run["mysql_cpu"] * SECONDS,
        broker_cpu=run["broker_cpu"] * SECONDS,
        log_bytes=results.of("bytes")[0]["log_bytes_a_change"],
        record_bytes=run["value_bytes"] * compressed,
    )


def chunk_fit(results: Results, process: str) -> tuple[float, float]:
    """CPU of a chunk in milliseconds and of its row in microseconds, from the smallest and the largest chunks."""
    lines = results.of("chunk")
    small, large = lines[0], lines[-1]
    rows = [line["key"]["rows_a_chunk"] for line in (small, large)]
    cpu = [line[f"{process}_cpu_ms"] for line in (small, large)]
    of_row = (cpu[1] - cpu[0]) / (rows[1] - rows[0])
    return cpu[0] - of_row * rows[0], 1000 * of_row


def _of(results: Results, kind: str, **wanted: Any) -> dict[str, float]:
    """The medians of the runs of one case."""
    runs = results.of(kind, **MAIN, **wanted)
    names = [name for name, value in runs[0].items() if isinstance(value, int | float)]
    return {name: float(median(run[name] for run in runs)) for name in names}
