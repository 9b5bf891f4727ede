"""Results as Markdown tables."""

from __future__ import annotations

from typing import Any

from bench.into_kafka.plan import Case
from bench.measuring.cells import (
    COSTS,
    MEMORY,
    Row,
    beside,
    beside_of_costs,
    median,
    of_costs,
    of_memory,
    of_pairs,
    table,
    whole,
)
from bench.measuring.results import Results
from bench.measuring.turns import SIDES

KEYS = ("workload", "compression", "schemas", "metadata")
LATENCY_FIGURES = ("p50", "p95", "p99", "max")


def rates(results: Results, chosen: list[Case]) -> str:
    """The rates of catching up: a row for each case, with both sides."""
    head = [*KEYS, "changes", "rounds", "tailrace changes/s", "Debezium changes/s", "times"]
    head += ["tailrace from its start", "Debezium from its start"]
    rows = []
    for case in chosen:
        own, theirs = (_median(results, case, side) for side in SIDES)
        figures = [whole(own, "rate"), whole(theirs, "rate"), of_pairs(*_rounds_of(results, case), "rate")]
        figures += [whole(own, "rate_from_start"), whole(theirs, "rate_from_start")]
        rows.append([*_keys(case), f"{case.changes:,}", str(_rounds(results, case)), *figures])
    return table(head, rows, left=4)


def costs(results: Results, chosen: list[Case]) -> str:
    """CPU seconds for a million changes."""
    rows = [_keys(case) + of_costs(*(_median(results, case, side) for side in SIDES)) for case in chosen]
    return table([*KEYS, *COSTS], rows, left=4)


def memory(results: Results, chosen: list[Case]) -> str:
    """Peak memory in MB."""
    rows = [_keys(case) + of_memory(*(_median(results, case, side) for side in SIDES)) for case in chosen]
    return table([*KEYS, *MEMORY], rows, left=4)


def latencies(results: Results) -> str:
    """Milliseconds from commit to consumer: a row for each setup and rate."""
    lines = results.of("latency")
    head = ["rows/s", "setup", "rows", "p50 ms", "p95 ms", "p99 ms", "max ms", "Python cores", "JVM cores"]
    rows = []
    for rate in sorted({line["rate"] for line in lines}):
        for line in (line for line in lines if line["rate"] == rate):
            figures = [f"{line[name]:.1f}" for name in LATENCY_FIGURES]
            cores = [f"{line[name]:.2f}" if line[name] else "-" for name in ("python_cores", "java_cores")]
            rows.append([f"{rate:,}", line["key"]["setup"], f"{line['n']:,}", *figures, *cores])
    return table(head, rows, left=2)


def one_run(case: Case, side: str, figures: Row) -> str:
    """A line for the screen."""
    return (
        f"{case.label:32} {side:9} {figures['rate']:>9,}/s  CPU s/M: Python {figures['python_cpu']:.2f}, "
        f"JVM {figures['java_cpu']:.2f}, broker {figures['broker_cpu']:.2f}, MySQL {figures['mysql_cpu']:.2f}  "
        f"MB: {figures['python_peak_mb']}, {figures['java_peak_mb']}  others {figures['others_cores']} cores"
    )


def highlights(results: Results, chosen: list[Case]) -> str:
    """The rows for the README."""
    rows = []
    for case in (
        case for case in chosen if case.compression == "lz4" and case.schemas == "off" and case.metadata == "MINIMAL"
    ):
        own, theirs = (_median(results, case, side) for side in SIDES)
        if own and theirs:
            rows.append([f"catching up, {_name(case)}: changes a second", whole(own, "rate"), whole(theirs, "rate")])
            if case.is_main:
                rows += beside_of_costs(own, theirs)
    for rate in sorted({line["rate"] for line in results.of("latency")}):
        found = {
            line["key"]["setup"]: f"{line['p50']:.0f} / {line['p95']:.0f}"
            for line in results.of("latency")
            if line["rate"] == rate
        }
        theirs_text = f"{found.get('Debezium, default', '-')}, tuned {found.get('Debezium, tuned', '-')}"
        rows.append(
            [f"commit to consumer at {rate:,} rows/s: p50 / p95 ms", found.get("tailrace, default", "-"), theirs_text]
        )
    return beside(rows)


def _keys(case: Case) -> list[str]:
    return [case.workload, case.compression, case.schemas, case.metadata]


def _name(case: Case) -> str:
    names = {"orders": "10 columns", "wide": "60 mixed columns", "stock": "5 columns, a key of 3", "many": "500 tables"}
    return names[case.workload]


def _rounds(results: Results, case: Case) -> int:
    return len(_rounds_of(results, case)[0])


def _rounds_of(results: Results, case: Case) -> tuple[list[Row], list[Row]]:
    """The rounds that both sides have, of tailrace and of Debezium."""
    own, theirs = (
        {line["key"]["round"]: line for line in results.of("rate", **case.key(), side=side)} for side in SIDES
    )
    both = sorted(own.keys() & theirs.keys())
    return [own[number] for number in both], [theirs[number] for number in both]


def _median(results: Results, case: Case, side: str) -> dict[str, Any] | None:
    return median(results.of("rate", **case.key(), side=side))
