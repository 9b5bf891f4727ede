"""Measures a whole snapshot, from the first row to the last: how fast, and at what cost.

A run starts one side with `snapshot.mode=initial_only` and empty topics. As with the log, time counts from the append of the
first record until all records are visible to a read-committed consumer, and CPU between the same two times. Then the records
are read: each table must have its number of rows, and no key twice.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.measuring import connectors, topics
from bench.measuring.observing import CountError, costs, observed, speed, stand_still, wait_for
from bench.measuring.processes import Sampler, Side
from bench.measuring.servers import Servers
from bench.measuring.watching import Watch
from bench.snapshots.filled import PARTITIONS, Filled
from bench.snapshots.plan import Case

MASTER = "local[2]"


def measure(servers: Servers, filled: Filled, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; returns its figures."""
    names = filled.topics(prefix)
    topics.create(servers.address, names, PARTITIONS)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder,
            Watch(servers.address, names) as watch,
        ):
            given = properties(servers, filled, case, prefix)
            made = command(servers, given, side, Path(folder))
            with observed(servers, side, made, Path(folder)) as (running, sampler, others):
                _until_done(running, servers, names, watch, sum(filled.rows.values()))
        found = topics.count(servers.address, names, keys=True)
        return figures(sampler, watch, running, others, found, filled, prefix) | {
            "kafka_bytes": servers.stored_bytes(names)
        }
    finally:
        topics.remove(servers.address, prefix)


def properties(servers: Servers, filled: Filled, case: Case, prefix: str) -> dict[str, str]:
    """The connector's properties, for both sides."""
    given = connectors.properties(
        servers, filled.database, prefix, compression=case.compression, schemas=case.schemas == "on"
    )
    threads = {} if case.threads == "default" else {"snapshot.max.threads": case.threads}
    return given | {"snapshot.mode": "initial_only"} | threads


def command(servers: Servers, given: dict[str, str], side: str, folder: Path) -> list[str]:
    """The command of a side, which keeps its state in the folder."""
    if side == "tailrace":
        return connectors.tailrace_command(servers, given, folder, available_now=False, master=MASTER)
    return connectors.connect_command(servers, given, folder)


def _until_done(side: Side, servers: Servers, names: list[str], watch: Watch, rows: int) -> None:
    """Wait for the end of the snapshot: tailrace's process ends; Debezium's connector stays idle, so records are counted."""
    if side.name == "tailrace":
        wait_for(side, names, servers, done=lambda: side.ended() is not None)
    else:
        wait_for(side, names, servers, done=lambda: watch.offsets >= rows)
        stand_still(servers.address, names)


def figures(
    sampler: Sampler,
    watch: Watch,
    side: Side,
    others: float,
    found: topics.Counted,
    filled: Filled,
    prefix: str,
) -> dict[str, Any]:
    """The figures of a run. Raises `CountError` if the records are not those of the tables."""
    rows = sum(filled.rows.values())
    for table, count in filled.rows.items():
        there = found.by_topic.get(filled.topic(prefix, table), 0)
        if there != count:
            raise CountError(f"{there:,} records of {table} are in Kafka and not {count:,}")
    if found.distinct_keys != rows:
        raise CountError(f"{rows:,} records have {found.distinct_keys:,} keys: some came twice, and others not at all")
    first, last = found.first, max(found.last, watch.settled.at)
    return {
        "rows": rows,
        **speed(rows, first, last, side.started),
        **costs(sampler, first, last, rows, others),
        "value_bytes": round(found.value_bytes),
    }
