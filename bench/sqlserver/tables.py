"""Results as Markdown tables."""

from __future__ import annotations

from typing import Any

from bench.into_kafka.plan import SIDES
from bench.measuring.cells import MEMORY, Row, costs_of, median, of_costs, of_memory, ratio, table, whole
from bench.measuring.results import Results
from bench.sqlserver.ceiling import READERS
from bench.sqlserver.plan import Case
from bench.sqlserver.servers import SERVER

KEYS = ("task", "compression", "schemas")
ENOUGH = 2  # times ours: less, and the stand-in is what was measured


def rates(results: Results, chosen: list[Case]) -> str:
    """Changes a second: a row a case, both sides in it, and what the stand-in gives to each one's driver alone."""
    head = [*KEYS, "changes", "tailrace changes/s", "Debezium changes/s", "times"]
    head += ["tailrace from its start", "Debezium from its start"]
    head += ["the stand-in to mssql-python", "the stand-in to JDBC", "the ratio counts"]
    rows = []
    for case in chosen:
        own, theirs = of_both(results, case)
        ceilings = [_ceiling(results, case, reader) for reader in READERS]
        figures = [whole(own, "rate"), whole(theirs, "rate"), ratio(own, "rate", theirs, "rate")]
        figures += [whole(own, "rate_from_start"), whole(theirs, "rate_from_start")]
        figures += [whole(ceiling, "changes_rate") for ceiling in ceilings]
        rows.append([*_keys(case), f"{case.changes:,}", *figures, _counts(own, ceilings[0])])
    return table(head, rows, left=3)


def costs(results: Results, chosen: list[Case]) -> str:
    """CPU seconds a million changes."""
    rows = [_keys(case) + of_costs(*of_both(results, case), SERVER) for case in chosen]
    return table([*KEYS, *costs_of("stand-in")], rows, left=3)


def memory(results: Results, chosen: list[Case]) -> str:
    """Peaks in MB."""
    return table([*KEYS, *MEMORY], [_keys(case) + of_memory(*of_both(results, case)) for case in chosen], left=3)


def of_both(results: Results, case: Case) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Over the rounds: tailrace's, Debezium's."""
    own, theirs = (median(results.of("rate", **case.key(), side=side)) for side in SIDES)
    return own, theirs


def one_run(case: Case, side: str, figures: Row) -> str:
    """A line for the screen."""
    return (
        f"{case.label:32} {side:9} {figures['rate']:>9,}/s  CPU s/M: Python {figures['python_cpu']:.2f}, "
        f"JVM {figures['java_cpu']:.2f}, broker {figures['broker_cpu']:.2f}, stand-in {figures[f'{SERVER}_cpu']:.2f}  "
        f"MB: {figures['python_peak_mb']}, {figures['java_peak_mb']}  others {figures['others_cores']} cores"
    )


def _ceiling(results: Results, case: Case, reader: str) -> dict[str, Any] | None:
    return median(results.of("ceiling", task=case.task, changes=case.changes, reader=reader))


def _counts(own: Row | None, ceiling: Row | None) -> str:
    if not own or not ceiling:
        return "-"
    times = ceiling["changes_rate"] / own["rate"]
    return f"yes ({times:.1f})" if times >= ENOUGH else f"no ({times:.1f})"


def _keys(case: Case) -> list[str]:
    return [case.task, case.compression, case.schemas]
