"""The tables of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from bench.measuring.cells import table
from bench.measuring.results import Results
from bench.scaling import measured, model
from bench.scaling.model import Capacity, Estimate

LANES: Final = (1, 4, 16, 64)
TERABYTE: Final = 1e12
CHANGES: Final = 500_000
CORE: Final = Capacity()


def simulations(results: Results) -> str:
    """What planning costs, a row for each simulation."""
    lines = results.of("simulation")
    header = (
        "tables", "chunks", "lanes", "waves simulated", "modelled time", "plan, CPU s", "plan's record, kB",
        "driver, % of a core", "plan and driver, % of a core", "a wave, CPU ms", "a commit, CPU ms", "largest record, kB", "peak MB",
    )  # fmt: skip
    return table(header, [_simulation(line) for line in lines], left=1)


def _simulation(line: dict[str, Any]) -> Sequence[str]:
    key = line["key"]
    whole = f"{line['central_percent_of_a_core']:.2f}" if line["is_done"] else "-"
    return (
        f"{key['tables']:,}", f"{key['chunks']:,}", str(key["lanes"]),
        f"all {line['waves']:,}" if line["is_done"] else f"{line['waves']:,}", _duration(line["virtual_seconds"]),
        f"{line['plan_cpu_s']:.2f}", f"{line['plan_bytes'] / 1000:,.0f}", f"{line['running_percent_of_a_core']:.2f}", whole,
        f"{line['wave_cpu_us'] / 1000:.2f}", f"{line['commit_cpu_us'] / 1000:.2f}", f"{line['largest_progress'] / 1000:,.0f}",
        f"{line['peak_mb']:,.0f}",
    )  # fmt: skip


def costs(results: Results) -> str:
    """What was measured here."""
    header = ("what", "tailrace, CPU ms", "MySQL, CPU ms", "broker, CPU ms")
    rows = []
    for kind, text in (
        ("chunk", "a chunk of {rows_a_chunk:,} rows, read and not delivered"),
        ("start", "a small table in the plan of a snapshot for {lanes} lanes ({tables:,} tables)"),
        ("commit", "a commit of progress of {progress_bytes:,} bytes, without records"),
        ("look", "the planner's look at {lanes} lanes, once a turn"),
    ):
        rows += [(text.format(**line["key"]), *_cpus(line)) for line in results.of(kind)]
    return table(header, rows, left=1)


def _cpus(line: dict[str, Any]) -> Iterable[str]:
    return (f"{line[f'{name}_cpu_ms']:.2f}" for name in ("own", "mysql", "broker"))


def snapshots(results: Results) -> str:
    """A snapshot of a terabyte."""
    of_row = measured.snapshot_costs(results)
    rows = TERABYTE / of_row.row_bytes
    header = ("executors", "rows/s", "time", "first limit", *_SHARES)
    found = [model.snapshot(lanes, of_row, CORE) for lanes in LANES]
    cells = [(str(each.lanes), f"{each.rate:,.0f}", _duration(rows / each.rate), each.limit, *_shares(each)) for each in found]
    return table(header, cells, left=1)


def logs(results: Results, sources: int = 1) -> str:
    """A log of half a million changes a second."""
    of_change = measured.log_costs(results)
    header = ("executors", "changes/s at most", "keeps up", "first limit", "a lane's core at 500,000/s, %", *_SHARES)
    found = [model.log(lanes, of_change, CORE, sources=min(sources, lanes)) for lanes in LANES]
    cells = [
        (
            str(each.lanes), f"{each.rate:,.0f}", "yes" if each.rate >= CHANGES else "no", each.limit,
            f"{100 * each.share('lanes', CHANGES):.0f}", *_shares(each, CHANGES),
        )
        for each in found
    ]  # fmt: skip
    return table(header, cells, left=1)


_SHARES: Final = ("source's processors, %", "source's network, %", "broker's processors, %", "broker's network, %", "broker's disk, %")


def _shares(of: Estimate, rate: float | None = None) -> Iterable[str]:
    return (f"{100 * of.share(name.removesuffix(', %'), rate):.0f}" for name in _SHARES)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
