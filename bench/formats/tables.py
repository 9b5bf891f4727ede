"""Results as Markdown tables."""

from __future__ import annotations

from bench.formats.plan import FormatCase
from bench.into_kafka.tables import one_run
from bench.measuring.cells import Row, median, ratio, short, table, whole
from bench.measuring.results import Results
from bench.measuring.turns import SIDES

__all__ = ["costs", "one_run", "rates"]

KIND = "formats"
KEYS = ("workload", "format", "transforms")


def rates(results: Results, chosen: list[FormatCase]) -> str:
    """The rates of catching up: a row for each case, with both sides."""
    head = [*KEYS, "changes", "records", "rounds", "tailrace changes/s", "Debezium changes/s", "times"]
    head += ["tailrace from its start", "Debezium from its start"]
    rows = []
    for case in chosen:
        own, theirs = (_median(results, case, side) for side in SIDES)
        figures = [whole(own, "rate"), whole(theirs, "rate"), ratio(own, "rate", theirs, "rate")]
        figures += [whole(each, "rate_from_start") for each in (own, theirs)]
        counts = [f"{case.changes:,}", whole(own or theirs, "records"), str(_rounds(results, case))]
        rows.append([*_keys(case), *counts, *figures])
    return table(head, rows, left=3)


def costs(results: Results, chosen: list[FormatCase]) -> str:
    """CPU seconds for a million changes, and peaks of memory in MB."""
    head = [*KEYS, "CPU: tailrace Python", "Spark's JVM", "Connect's JVM", "Connect / Python", "Connect / both"]
    head += ["MB: tailrace Python", "Spark's JVM", "Connect's JVM"]
    rows = []
    for case in chosen:
        own, theirs = (_median(results, case, side) for side in SIDES)
        both = {"cpu": own["python_cpu"] + own["java_cpu"]} if own else None
        cells = [short(own, "python_cpu"), short(own, "java_cpu"), short(theirs, "java_cpu")]
        cells += [ratio(theirs, "java_cpu", own, "python_cpu"), ratio(theirs, "java_cpu", both, "cpu")]
        cells += [whole(own, "python_peak_mb"), whole(own, "java_peak_mb"), whole(theirs, "java_peak_mb")]
        rows.append([*_keys(case), *cells])
    return table(head, rows, left=3)


def _keys(case: FormatCase) -> list[str]:
    return [case.workload, case.format, case.chain]


def _rounds(results: Results, case: FormatCase) -> int:
    return min(len(results.of(KIND, **case.key(), side=side)) for side in SIDES)


def _median(results: Results, case: FormatCase, side: str) -> Row | None:
    return median(results.of(KIND, **case.key(), side=side))
