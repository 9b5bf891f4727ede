"""Catching up with a log: how fast, and at what cost.

A run starts one side behind a workload that lies in the log and lets it read to the end. The time counts from the
first record's append to the moment at which the marker, the last row of the log, is visible to a read-committed
consumer and everything else is appended; CPU counts between the same two moments. Then the records are counted as a
read-committed consumer sees them: a number that is not the workload's is an error, not a result.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.into_kafka import connectors, topics
from bench.into_kafka.plan import Case
from bench.into_kafka.processes import GROUP_OF_ALL, Sampler, Side, SideError, started, wait_for_quiet, wait_until
from bench.into_kafka.servers import Data, Servers
from bench.workloads import counted

START_TIMEOUT = 180
QUIET_AT_END = 3
PATIENCE = 240
GROUPS = ("python", "java", "broker", "mysql")


class CountError(Exception):
    """The records in Kafka are not those of the workload."""


def measure(servers: Servers, data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """One run of one side."""
    names = [*data.topics(prefix), data.marker(prefix)]
    topics.create(servers.address, data.topics(prefix), data.partitions)
    topics.create(servers.address, [data.marker(prefix)], 1)
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            run = _tailrace if side == "tailrace" else _debezium
            given = connectors.properties(
                servers, data.database, prefix, compression=case.compression, schemas=case.schemas == "on"
            )
            sampler, marker, begun, others = run(servers, data, given, names, Path(folder))
        return figures(sampler, marker, begun, others, topics.count(servers.address, names), data, case)
    finally:
        topics.remove(servers.address, prefix)


Watched = tuple[Sampler, topics.Marker, float, float]


def _tailrace(servers: Servers, data: Data, given: dict[str, str], names: list[str], folder: Path) -> Watched:
    connectors.tailrace_begins_at(servers, given, folder, data.before)
    command = connectors.tailrace_command(servers, given, folder, available_now=True)
    with _watched(servers, "tailrace", command, data.marker(given["topic.prefix"]), folder) as watched:
        side, sampler, marker, others = watched
        _wait(side, names, servers, done=lambda: side.ended() is not None)
        if marker.seen is None:
            wait_until(
                lambda: marker.seen is not None, 10, lambda: SideError(side, "tailrace ended without the last row")
            )
    return sampler, marker, side.started, others


def _debezium(servers: Servers, data: Data, given: dict[str, str], names: list[str], folder: Path) -> Watched:
    connectors.debezium_begins_at(given, folder, data.before)
    command = connectors.connect_command(servers, given, folder)
    with _watched(servers, "Debezium", command, data.marker(given["topic.prefix"]), folder) as watched:
        side, sampler, marker, others = watched
        _wait(side, names, servers, done=lambda: marker.seen is not None)
        _stand_still(servers.address, names)
    return sampler, marker, side.started, others


@contextmanager
def _watched(
    servers: Servers, name: str, command: list[str], marker: str, folder: Path
) -> Iterator[tuple[Side, Sampler, topics.Marker, float]]:
    others = wait_for_quiet(servers.patience)
    with (
        topics.Marker(servers.address, marker) as seen,
        started(name, command, folder / "log.txt", connectors.tailrace_env()) as side,
        Sampler(side, servers.pids()) as sampler,
    ):
        yield side, sampler, seen, others


def _wait(side: Side, names: list[str], servers: Servers, *, done: Callable[[], bool]) -> None:
    """Until it is done; an error when it ends with a failure or delivers nothing for a long time."""
    moved, offsets, look = time.monotonic(), 0, time.monotonic() + 30
    while not done():
        side.check()
        if side.ended() is not None:
            raise SideError(side, f"{side.name} ended before the last row")
        time.sleep(0.05)
        if time.monotonic() > look:
            now, look = topics.end_offsets(servers.address, names), time.monotonic() + 30
            moved, offsets = (time.monotonic(), now) if now != offsets else (moved, offsets)
        if time.monotonic() - moved > PATIENCE:
            raise SideError(side, f"{side.name} delivered nothing for {PATIENCE} s")
    side.check()


def _stand_still(address: str, names: list[str]) -> None:
    """Wait until nothing more is appended: without transactions the marker may overtake others."""
    before, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_AT_END:
        now = topics.end_offsets(address, names)
        before, since = (now, time.monotonic()) if now != before else (before, since)
        time.sleep(0.5)


def figures(
    sampler: Sampler, marker: topics.Marker, begun: float, others: float, found: topics.Counted, data: Data, case: Case
) -> dict[str, Any]:
    """The figures of a run, checked."""
    if found.records != data.records + 1:
        raise CountError(f"{found.records:,} records are in Kafka and not {data.records + 1:,}")
    changes = counted(case.workload, case.changes)["changes"]
    first, last = found.first, max(found.last, marker.seen or 0.0)
    millions, ledger = changes / 1e6, sampler.ledger
    cpu = {group: ledger.between(group, first, last) for group in (*GROUPS, "bench", GROUP_OF_ALL)}
    busy_others = cpu[GROUP_OF_ALL] - sum(cpu[group] for group in (*GROUPS, "bench"))
    return {
        "changes": changes,
        "records": found.records,
        "seconds": round(last - first, 3),
        "rate": round(changes / (last - first)),
        "seconds_from_start": round(last - begun, 3),
        "rate_from_start": round(changes / (last - begun)),
        **{f"{group}_cpu": round(cpu[group] / millions, 3) for group in GROUPS},
        **{f"{group}_cpu_whole": round(ledger.at(group, last) / millions, 3) for group in ("python", "java")},
        **{f"{group}_peak_mb": round(sampler.peaks.get(group, 0.0)) for group in GROUPS},
        **{f"{group}_shared_peak_mb": round(sampler.shared.get(group, 0.0)) for group in ("python", "java")},
        "processes_mb": sorted(
            (round(peak) for (group, _), peak in sampler.processes.items() if group == "python"), reverse=True
        ),
        "value_bytes": round(found.value_bytes),
        "others_cores": round(max(0.0, busy_others) / (last - first), 2),
        "others_cores_before": round(others, 2),
    }
