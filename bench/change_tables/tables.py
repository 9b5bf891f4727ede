"""Results as Markdown tables."""

from __future__ import annotations

from typing import Any

from bench.change_tables.plan import CATCH_UP, Case
from bench.change_tables.system import SERVER, System
from bench.measuring.cells import (
    MEMORY,
    Row,
    beside,
    beside_of_costs,
    costs_of,
    median,
    of_costs,
    of_memory,
    ratio,
    short,
    table,
    whole,
)
from bench.measuring.results import Results
from bench.measuring.turns import SIDES

KEYS = ("task", "compression", "schemas", "polling")
ENOUGH = 2  # the stand-in must be this much faster than tailrace, or its own speed would be measured


def rates(system: System, results: Results, chosen: list[Case]) -> str:
    """Changes a second: a row for each case, with both sides, and how much faster the stand-in alone is than tailrace."""
    head = [*KEYS, "changes", "rounds", "tailrace changes/s", "Debezium changes/s", "times"]
    head += ["tailrace from its first query", "Debezium from its first query", "times so"]
    head += ["tailrace from its start", "Debezium from its start", "times from the start"]
    head += ["the stand-in alone", "the ratio counts"]
    rows = []
    for case in chosen:
        own, theirs = of_both(results, case)
        alone = _ceiling(results, case, system.readers[0])
        rounds = len(results.of("rate", **case.key(), side=SIDES[0]))
        figures = [*_beside(own, theirs, "rate"), *_beside(_reading(own), _reading(theirs), "rate_of_reading")]
        figures += [*_beside(own, theirs, "rate_from_start"), whole(alone, "changes_rate")]
        rows.append([*_keys(case), f"{case.changes:,}", str(rounds), *figures, _counts(own, alone)])
    return table(head, rows, left=4)


def highlights(system: System, results: Results, chosen: list[Case]) -> str:
    """The rows for the README."""
    rows = []
    for case in (case for case in chosen if case.is_main):
        own, theirs = of_both(results, case)
        if not own or not theirs:
            continue
        if case.task == CATCH_UP:
            rows.append(["catching up: changes a second", whole(own, "rate"), whole(theirs, "rate")])
        else:
            rows.append(["snapshot: rows a second", _with_reading(own), _with_reading(theirs)])
        rows += beside_of_costs(own, theirs)
    for count in sorted({line["key"]["instances"] for line in results.of("idle")}):
        found = {line["key"]["side"]: line for line in results.of("idle", instances=count)}
        cells = [
            f"{found[side]['python_cpu'] + found[side]['java_cpu']:.2f}" if side in found else "-" for side in SIDES
        ]
        rows.append([f"a minute in which {count:,} {system.words.instances} stand idle: CPU seconds", *cells])
    return beside(rows)


def ceilings(system: System, results: Results, chosen: list[Case]) -> str:
    """The stand-in's speed for a reader that only reads: rows and changes a second, the reader's CPU seconds a million rows."""
    head = ["task", "reader", "rows", "rows/s", "changes/s", "CPU s/M: reader", "CPU s/M: stand-in"]
    rows = []
    for case in (case for case in chosen if case.is_main):
        for reader in system.readers:
            found = _ceiling(results, case, reader)
            cells = [whole(found, name) for name in ("rows", "rate", "changes_rate")]
            rows.append([case.task, reader, *cells, short(found, "reader_cpu"), short(found, "server_cpu")])
    return table(head, rows, left=2)


def idle(system: System, results: Results) -> str:
    """Many captured tables without changes: a row for each side."""
    head = [system.words.instances, "side", "streams after, s", "CPU s of a minute: Python", "JVM", "stand-in"]
    head += ["MB before", "MB after"]
    rows = [
        [
            f"{line['key']['instances']:,}",
            line["key"]["side"],
            f"{line['streams_after']:.1f}",
            *(f"{line[f'{group}_cpu']:.2f}" for group in ("python", "java", SERVER)),
            *(f"{line[name]:,}" for name in ("mb_before", "mb_after")),
        ]
        for line in results.of("idle")
    ]
    return table(head, rows, left=2)


def costs(results: Results, chosen: list[Case]) -> str:
    """CPU seconds for a million changes."""
    rows = []
    for case in chosen:
        own, theirs = of_both(results, case)
        both = {"cpu": own["python_cpu"] + own["java_cpu"]} if own else None
        rows.append(_keys(case) + of_costs(own, theirs, SERVER) + [ratio(theirs, "java_cpu", both, "cpu")])
    return table([*KEYS, *costs_of("stand-in"), "Connect / (Python + JVM)"], rows, left=4)


def memory(results: Results, chosen: list[Case]) -> str:
    """Peak memory in MB."""
    return table([*KEYS, *MEMORY], [_keys(case) + of_memory(*of_both(results, case)) for case in chosen], left=4)


def of_both(results: Results, case: Case) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The medians of tailrace and Debezium; Debezium's are the same for all polling intervals."""
    own = results.of("rate", **case.key(), side=SIDES[0])
    theirs = results.of("rate", **case.key_of_both(), side=SIDES[1])
    return median(own), median(theirs)


def one_run(case: Case, side: str, figures: Row) -> str:
    """A line for the screen."""
    reading = f", {figures['rate_of_reading']:,}/s from its first query" if "rate_of_reading" in figures else ""
    return (
        f"{case.label:32} {side:9} {figures['rate']:>9,}/s{reading}  CPU s/M: Python {figures['python_cpu']:.2f}, "
        f"JVM {figures['java_cpu']:.2f}, broker {figures['broker_cpu']:.2f}, stand-in {figures[f'{SERVER}_cpu']:.2f}  "
        f"MB: {figures['python_peak_mb']}, {figures['java_peak_mb']}  others {figures['others_cores']} cores"
    )


def _ceiling(results: Results, case: Case, reader: str) -> dict[str, Any] | None:
    return median(results.of("ceiling", task=case.task, changes=case.changes, reader=reader))


def _reading(figures: Row | None) -> Row | None:
    return figures if figures and "rate_of_reading" in figures else None


def _beside(own: Row | None, theirs: Row | None, name: str) -> list[str]:
    return [whole(own, name), whole(theirs, name), ratio(own, name, theirs, name)]


def _with_reading(figures: Row) -> str:
    since = f", {figures['rate_of_reading']:,.0f} from its first query" if _reading(figures) else ""
    return whole(figures, "rate") + since


def _counts(own: Row | None, ceiling: Row | None) -> str:
    if not own or not ceiling:
        return "-"
    times = ceiling["changes_rate"] / own["rate"]
    return f"yes ({times:.1f})" if times >= ENOUGH else f"no ({times:.1f})"


def _keys(case: Case) -> list[str]:
    return [case.task, case.compression, case.schemas, "-" if case.task == CATCH_UP else f"{case.polling} s"]
