"""Results as Markdown tables."""

from __future__ import annotations

from typing import Any

from bench.measuring.cells import (
    COSTS,
    MEMORY,
    Row,
    beside,
    beside_of_costs,
    median,
    of_costs,
    of_memory,
    ratio,
    table,
    whole,
)
from bench.measuring.results import Results
from bench.measuring.turns import SIDES
from bench.snapshots.plan import Case

KEYS = ("snapshot.max.threads", "compression", "schemas")


def initial(results: Results, chosen: list[Case]) -> str:
    """Whole snapshots: a row for each case, with both sides."""
    head = [*KEYS, "rows", "rounds", "tailrace rows/s", "Debezium rows/s", "times"]
    head += ["tailrace from its start", "Debezium from its start", "tailrace MB in Kafka", "Debezium MB in Kafka"]
    rows = []
    for case in chosen:
        own, theirs = of_both(results, case)
        cells = [whole(own, "rate"), whole(theirs, "rate"), ratio(own, "rate", theirs, "rate")]
        cells += [whole(own, "rate_from_start"), whole(theirs, "rate_from_start")]
        cells += [f"{each['kafka_bytes'] / 1e6:,.0f}" if each else "-" for each in (own, theirs)]
        rounds = min(len(results.of("initial", **case.key(), side=side)) for side in SIDES)
        rows.append([*_keys(case), f"{sum(case.tables.values()):,}", str(rounds), *cells])
    return table(head, rows, left=3)


def costs(results: Results, chosen: list[Case]) -> str:
    """CPU seconds for a million rows."""
    return table([*KEYS, *COSTS], [_keys(case) + of_costs(*of_both(results, case)) for case in chosen], left=3)


def memory(results: Results, chosen: list[Case]) -> str:
    """Peak memory in MB."""
    return table([*KEYS, *MEMORY], [_keys(case) + of_memory(*of_both(results, case)) for case in chosen], left=3)


def of_both(results: Results, case: Case) -> list[dict[str, Any] | None]:
    """The medians of both sides."""
    return [median(results.of("initial", **case.key(), side=side)) for side in SIDES]


def one_run(case: Case, side: str, figures: Row) -> str:
    """A line for the screen."""
    return (
        f"{case.label:36} {side:9} {figures['rate']:>9,}/s ({figures['rate_from_start']:,}/s from its start)  "
        f"CPU s/M: Python {figures['python_cpu']:.2f}, JVM {figures['java_cpu']:.2f}, broker {figures['broker_cpu']:.2f}, "
        f"MySQL {figures['mysql_cpu']:.2f}  MB: {figures['python_peak_mb']}, {figures['java_peak_mb']}  "
        f"others {figures['others_cores']} cores"
    )


def _keys(case: Case) -> list[str]:
    return [case.threads, case.compression, case.schemas]


def under_changes(results: Results) -> str:
    """A table that changes while it is read."""
    head = ["rows read", "changes/s", "rows/s", "from its start", "CPU s/M: Python", "peak MB: Python", "Spark's JVM"]
    head += ["log written, MB", "received, MB", "of it log, MB", "times", "times a task", "log after it, s", "records compared"]
    rows = []
    for line in results.of("changes"):
        cells = [whole(line, name) for name in ("rows", "rate_reached", "rate", "rate_from_start")]
        cells += [f"{line['python_cpu']:.2f}", whole(line, "python_peak_mb"), whole(line, "java_peak_mb")]
        cells += [whole(line, "log_written_mb"), *(f"{sum(line[name]):,.0f}" for name in ("log_received_mb", "log_read_mb"))]
        cells += [f"{line[name]:.2f}" for name in ("log_read_times", "log_read_times_a_task")]
        rows.append([*cells, whole(line, "log_seconds"), whole(line, "records")])
    return table(head, rows, left=0)


def beside_stream(results: Results) -> str:
    """Milliseconds from commit to consumer without an incremental snapshot and with one."""
    head = ["rows/s", "side", "p50 without", "p95 without", "p50 with", "p95 with", "p95 later by", "max with"]
    head += ["snapshot's rows/s meanwhile", "it was done", "Python cores", "JVM cores"]
    rows = []
    for line in sorted(results.of("incremental"), key=lambda line: line["rate"]):
        without, during = line["without"], line["with"]
        waits = [without["p50"], without["p95"], during["p50"], during["p95"], during["p95"] - without["p95"]]
        cells = [f"{wait:,.1f}" for wait in (*waits, during["max"])]
        cores = [f"{line[name]:.2f}" if line[name] else "-" for name in ("python_cores", "java_cores")]
        rows.append(
            [
                f"{line['rate']:,}",
                line["key"]["side"],
                *cells,
                whole(line, "snapshot_rate"),
                "yes" if line["complete"] else "no",
                *cores,
            ]
        )
    return table(head, rows, left=2)


def highlights(results: Results, chosen: list[Case]) -> str:
    """The rows for the README."""
    rows = []
    for case in (case for case in chosen if case.is_main):
        own, theirs = of_both(results, case)
        if own and theirs:
            rows.append(["snapshot: rows a second", whole(own, "rate"), whole(theirs, "rate")])
            rows += beside_of_costs(own, theirs)
    return beside(rows)
