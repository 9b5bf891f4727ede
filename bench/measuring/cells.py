"""Formats figures as cells of Markdown tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from bench.measuring.figures import over_rounds

Row = Mapping[str, Any]


def median(found: Sequence[Row]) -> dict[str, Any] | None:
    """The medians over the rounds; None without rounds."""
    return over_rounds(found) if found else None


def whole(row: Row | None, name: str) -> str:
    """A number without a fraction."""
    return f"{row[name]:,.0f}" if row else "-"


def short(row: Row | None, name: str) -> str:
    """A number with two decimals."""
    return f"{row[name]:.2f}" if row else "-"


def ratio(upper: Row | None, of_upper: str, lower: Row | None, of_lower: str) -> str:
    """The quotient of two figures."""
    if not upper or not lower or not lower[of_lower]:
        return "-"
    return _times(upper[of_upper] / lower[of_lower])


def _times(quotient: float) -> str:
    return f"{quotient:.1f}" if quotient >= 2 else f"{quotient:.2f}"


def costs_of(server: str) -> tuple[str, ...]:
    """The headings of CPU seconds for a million, with the name of the source server."""
    return ("tailrace Python", "Spark's JVM", "Connect's JVM", "Connect / Python",
            "broker: tailrace", "broker: Debezium", f"{server}: tailrace", f"{server}: Debezium")  # fmt: skip


COSTS = costs_of("MySQL")


def of_costs(own: Row | None, theirs: Row | None, server: str = "mysql") -> list[str]:
    """The cells of CPU seconds for a million, under `costs_of`; `server` is the process group of the source."""
    cells = [short(own, "python_cpu"), short(own, "java_cpu"), short(theirs, "java_cpu")]
    cells += [ratio(theirs, "java_cpu", own, "python_cpu")]
    return cells + [short(each, f"{name}_cpu") for name in ("broker", server) for each in (own, theirs)]


def of_pairs(upper: Sequence[Row], lower: Sequence[Row], name: str) -> str:
    """The median of the quotients of a figure, round by round: the machine is not the same in each."""
    quotients = [above[name] / below[name] for above, below in zip(upper, lower, strict=True) if below[name]]
    return _times(statistics.median(quotients)) if quotients else "-"


MEMORY = ("tailrace Python", "Python without double pages", "Spark's JVM", "Connect's JVM",
          "Connect / Python", "Connect / (Python + JVM)")  # fmt: skip


def of_memory(own: Row | None, theirs: Row | None) -> list[str]:
    """The cells of peak memory in MB, under `MEMORY`."""
    both = {"peak_mb": own["python_peak_mb"] + own["java_peak_mb"]} if own else None
    cells = [whole(own, name) for name in ("python_peak_mb", "python_shared_peak_mb", "java_peak_mb")]
    cells += [whole(theirs, "java_peak_mb"), ratio(theirs, "java_peak_mb", own, "python_peak_mb")]
    return [*cells, ratio(theirs, "java_peak_mb", both, "peak_mb")]


def beside(rows: Sequence[Sequence[str]]) -> str:
    """The README's table: figure, tailrace, Debezium."""
    return table(["", "tailrace", "Debezium in Kafka Connect"], rows, left=1)


def beside_of_costs(own: Row, theirs: Row) -> list[list[str]]:
    """The rows of CPU and memory, for `beside`."""
    cpu = f"{own['python_cpu']:.2f} (and Spark's JVM {own['java_cpu']:.2f})"
    memory = f"{own['python_peak_mb']:,.0f} (and Spark's JVM {own['java_peak_mb']:,.0f})"
    return [
        ["CPU seconds a million of them", cpu, short(theirs, "java_cpu")],
        ["peak memory, MB", memory, whole(theirs, "java_peak_mb")],
    ]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int) -> str:
    """A Markdown table whose first `left` columns are text and the others numbers; empty without rows."""
    if not rows:
        return ""
    rule = ["---" if number < left else "---:" for number in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))
