"""Observes one run of one side: starts it on a quiet machine, waits for its end, computes its costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.measuring import connectors, page_cache, topics
from bench.measuring.processes import GROUP_OF_ALL, Sampler, Side, SideError, started, wait_for_quiet
from bench.measuring.reached import Servers

QUIET_AT_END = 3
PATIENCE = 240


class CountError(Exception):
    """The records in Kafka are not the expected ones."""


@contextmanager
def observed(
    servers: Servers, name: str, command: list[str], folder: Path, extra_env: dict[str, str] | None = None
) -> Iterator[tuple[Side, Sampler, float]]:
    """Start a side when the machine is quiet; yields it, its sampler, and the cores that other processes used just before."""
    page_cache.fill()
    others = wait_for_quiet(servers.patience)
    env = connectors.tailrace_env() | (extra_env or {})
    with (
        started(name, command, folder / "log.txt", env) as side,
        Sampler(side, servers.pids()) as sampler,
    ):
        yield side, sampler, others


def wait_for(
    side: Side, names: list[str], servers: Servers, *, done: Callable[[], bool], patience: float = PATIENCE
) -> None:
    """Wait until it is done. Raises an error if the side fails, or delivers nothing for a long time."""
    moved, offsets, look = time.monotonic(), 0, time.monotonic() + 30
    while not done():
        side.check()
        if side.ended() is not None and not done():
            raise SideError(side, f"{side.name} ended before the last row")
        time.sleep(0.05)
        if time.monotonic() > look:
            now, look = topics.end_offsets(servers.address, names), time.monotonic() + 30
            moved, offsets = (time.monotonic(), now) if now != offsets else (moved, offsets)
        if time.monotonic() - moved > patience:
            raise SideError(side, f"{side.name} delivered nothing for {patience} s")
    side.check()


def stand_still(address: str, names: list[str]) -> None:
    """Wait until nothing more is appended: without transactions the last record may overtake others."""
    before, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_AT_END:
        now = topics.end_offsets(address, names)
        before, since = (now, time.monotonic()) if now != before else (before, since)
        time.sleep(0.5)


def costs(sampler: Sampler, first: float, last: float, count: int, others: float) -> dict[str, Any]:
    """CPU seconds for a million records delivered between two times, and the peaks of memory, start included."""
    millions, ledger = count / 1e6, sampler.ledger
    groups = ("python", "java", *sampler.servers)
    cpu = {group: ledger.between(group, first, last) for group in (*groups, "bench", GROUP_OF_ALL)}
    busy_others = cpu[GROUP_OF_ALL] - sum(cpu[group] for group in (*groups, "bench"))
    return {
        **{f"{group}_cpu": round(cpu[group] / millions, 3) for group in groups},
        **{f"{group}_cpu_whole": round(ledger.at(group, last) / millions, 3) for group in ("python", "java")},
        **{f"{group}_peak_mb": round(sampler.peaks.get(group, 0.0)) for group in groups},
        **{f"{group}_shared_peak_mb": round(sampler.shared.get(group, 0.0)) for group in ("python", "java")},
        "processes_mb": sorted(
            (round(peak) for (group, _), peak in sampler.processes.items() if group == "python"), reverse=True
        ),
        "others_cores": round(max(0.0, busy_others) / (last - first), 2),
        "others_cores_before": round(others, 2),
    }


def speed(count: int, first: float, last: float, begun: float) -> dict[str, Any]:
    """The time from the first record, and from the start of the process."""
    return {
        "seconds": round(last - first, 3),
        "rate": round(count / (last - first)),
        "seconds_from_start": round(last - begun, 3),
        "rate_from_start": round(count / (last - begun)),
    }
