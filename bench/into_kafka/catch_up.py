"""Measures catching up with a log: how fast, and at what cost.

The workload is in the log before a side starts, and the side reads to its end. Time counts from the append of the first record
until the marker (the log's last row) is visible to a read-committed consumer and everything else is appended. CPU counts
between the same two times. Then a read-committed consumer counts the records: a wrong number is an error, not a result.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.into_kafka.logs import Data
from bench.into_kafka.plan import Case
from bench.measuring import connectors, topics
from bench.measuring.observing import costs, observed, speed, stand_still, wait_for
from bench.measuring.processes import Sampler, SideError, wait_until
from bench.measuring.servers import Servers
from bench.measuring.watching import Marker
from bench.workloads import counted


def measure(servers: Servers, data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; returns its figures."""
    names = [*data.topics(prefix), data.marker(prefix)]
    topics.create(servers.address, data.topics(prefix), data.partitions)
    topics.create(servers.address, [data.marker(prefix)], 1)
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            run = _tailrace if side == "tailrace" else _debezium
            given = case.properties(servers, data.database, prefix)
            with Marker(servers.address, data.marker(prefix)) as marker:
                sampler, begun, others = run(servers, data, given, names, Path(folder), marker)
        found = topics.count(servers.address, names)
        data.check(found.by_topic, prefix)
        return figures(sampler, marker, begun, others, found, case)
    finally:
        topics.remove(servers.address, prefix)


Watched = tuple[Sampler, float, float]


def _tailrace(
    servers: Servers, data: Data, given: dict[str, str], names: list[str], folder: Path, marker: Marker
) -> Watched:
    connectors.tailrace_begins_at(servers, given, folder, data.before)
    command = connectors.tailrace_command(servers, given, folder, available_now=True)
    with observed(servers, "tailrace", command, folder) as (side, sampler, others):
        wait_for(side, names, servers, done=lambda: side.ended() is not None)
        if marker.seen is None:
            wait_until(
                lambda: marker.seen is not None, 10, lambda: SideError(side, "tailrace ended without the last row")
            )
    return sampler, side.started, others


def _debezium(
    servers: Servers, data: Data, given: dict[str, str], names: list[str], folder: Path, marker: Marker
) -> Watched:
    connectors.debezium_begins_at(given, folder, data.before)
    command = connectors.connect_command(servers, given, folder)
    with observed(servers, "Debezium", command, folder) as (side, sampler, others):
        wait_for(side, names, servers, done=lambda: marker.seen is not None)
        stand_still(servers.address, names)
    return sampler, side.started, others


def figures(
    sampler: Sampler, marker: Marker, begun: float, others: float, found: topics.Counted, case: Case
) -> dict[str, Any]:
    """The figures of a run."""
    changes = counted(case.workload, case.changes)["changes"]
    first, last = found.first, max(found.last, marker.seen or 0.0)
    return {
        "changes": changes,
        "records": found.records,
        **speed(changes, first, last, begun),
        **costs(sampler, first, last, changes, others),
        "value_bytes": round(found.value_bytes),
    }
