"""Measures how much later changes arrive during an incremental snapshot of a large table.

A writer inserts rows at a rate, and a read-committed consumer records when it gets them, as in `into_kafka.latency`: first
without a snapshot, then while a snapshot runs that a signal in the signal table requested. In the second phase, rows count
whose commits were between the snapshot's first and last visible row. A row that does not arrive exactly once is an error. So
is a completed snapshot that does not have each row of its table exactly once.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.into_kafka.latency import LAST_ARRIVALS, TICKS, by_id, reader, wait_until_live, waits_of, writer
from bench.measuring import connectors, topics
from bench.measuring.children import Child
from bench.measuring.figures import spread
from bench.measuring.observing import CountError, observed
from bench.measuring.processes import Sampler, Side
from bench.measuring.servers import Servers
from bench.measuring.watching import Watch
from bench.snapshots.filled import PARTITIONS, Filled
from bench.snapshots.initial import command

SETUPS = ("tailrace", "Debezium")
SIGNALS = "CREATE TABLE debezium_signal (id VARCHAR(64) PRIMARY KEY, type VARCHAR(32) NOT NULL, data TEXT)"
FINISH_SECONDS = 120
LEAST_MEASURED = 100


@dataclass(frozen=True)
class Load:
    """Inserts at a rate, with a number of rows in each transaction, and the durations without and with a snapshot."""

    rate: int
    rows: int
    warm_up_seconds: float = 10
    without_seconds: float = 20
    with_seconds: float = 30


LOADS = (Load(500, 1), Load(5000, 10))


class TooShortError(Exception):
    """The snapshot was complete before anything was measured."""


def measure(servers: Servers, filled: Filled, side: str, load: Load, prefix: str) -> dict[str, Any]:
    """Measure one side with one load; the table `orders` is filled."""
    database = filled.database
    servers.mysql.sql(f"DROP TABLE IF EXISTS ticks, debezium_signal; {TICKS}; {SIGNALS}", database)
    ticks, big = filled.topic(prefix, "ticks"), filled.topic(prefix, "orders")
    topics.create(servers.address, [ticks, big], PARTITIONS)
    given = connectors.properties(servers, database, prefix, compression="lz4", schemas=False)
    given |= {"signal.data.collection": f"{database}.debezium_signal"}
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as name, ExitStack() as opened:
            folder = Path(name)
            arrivals = opened.enter_context(reader(servers, ticks, PARTITIONS, folder))
            commits = opened.enter_context(writer(servers, database, folder))
            made = command(servers, given, side, folder)
            running, sampler, _ = opened.enter_context(observed(servers, side, made, folder))
            wait_until_live(running, arrivals, commits)
            without = _write(running, commits, load, 2, load.without_seconds, warm_up=load.warm_up_seconds)
            watch = opened.enter_context(Watch(servers.address, [big]))
            _signal(servers, filled)
            during = _write(running, commits, load, 3, load.with_seconds)
            is_done = _finished(running, watch, filled.rows["orders"])
            time.sleep(LAST_ARRIVALS)
            arrived = by_id(arrivals.last_words())
        if is_done:
            _require_whole(servers, big, filled.rows["orders"])
        return figures(load, without, during, arrived, watch, sampler) | {"complete": is_done}
    finally:
        topics.remove(servers.address, prefix)


def _write(
    side: Side, commits: Child, load: Load, number: int, seconds: float, *, warm_up: float = 0
) -> list[list[int]]:
    """Write the rows of one phase, after a warm-up; returns their ids and commit times, without the warm-up's."""
    first = number * 1_000_000
    order = {"rate": load.rate, "rows": load.rows}
    if warm_up:
        commits.ask({**order, "seconds": warm_up, "first": first + 500_000}, warm_up)
    rows = commits.ask({**order, "seconds": seconds, "first": first}, seconds)
    side.check()
    return rows


def _signal(servers: Servers, filled: Filled) -> None:
    data = json.dumps({"data-collections": [f"{filled.database}.orders"], "type": "incremental"})
    servers.mysql.sql(f"INSERT INTO debezium_signal VALUES ('bench', 'execute-snapshot', '{data}')", filled.database)


def _finished(side: Side, watch: Watch, rows: int) -> bool:
    """Whether the snapshot completes in time. Offsets count transaction markers too, so they must also stop growing."""
    deadline, moved, offsets = time.monotonic() + FINISH_SECONDS, time.monotonic(), watch.offsets
    while time.monotonic() < deadline:
        side.check()
        if watch.offsets != offsets:
            moved, offsets = time.monotonic(), watch.offsets
        if offsets >= rows and time.monotonic() - moved > LAST_ARRIVALS:
            return True
        time.sleep(0.2)
    return False


def _require_whole(servers: Servers, topic: str, rows: int) -> None:
    found = topics.count(servers.address, [topic], keys=True)
    if (found.records, found.distinct_keys) != (rows, rows):
        raise CountError(
            f"the incremental snapshot has {found.records:,} records with {found.distinct_keys:,} keys and not {rows:,}"
        )


def figures(
    load: Load,
    without: list[list[int]],
    during: list[list[int]],
    arrived: Mapping[int, list[int]],
    watch: Watch,
    sampler: Sampler,
) -> dict[str, Any]:
    """The latencies without and with a snapshot, and the snapshot's speed."""
    all_waits = waits_of(during, arrived)
    begun = watch.first
    if begun is None:
        raise CountError("nothing of the incremental snapshot has come")
    last = min(during[-1][1], watch.settled.ticks)
    waits = [wait for wait, (_, moment) in zip(all_waits, during, strict=True) if begun.ticks <= moment <= last]
    if len(waits) < LEAST_MEASURED:
        raise TooShortError(
            f"only {len(waits)} rows were committed while the snapshot ran, which took "
            f"{(last - begun.ticks) / 1e9:.1f} s: it needs a larger table (--beside-rows)"
        )
    seconds = (last - begun.ticks) / 1e9
    cores = {
        f"{group}_cores": round(
            (sampler.ledger.at(group, begun.at + seconds) - sampler.ledger.at(group, begun.at)) / seconds, 2
        )
        for group in ("python", "java")
    }
    return {
        "rate": load.rate,
        "reached": round((len(during) - load.rows) / ((during[-1][1] - during[0][1]) / 1e9), 1),
        "without": spread(waits_of(without, arrived)),
        "with": spread(waits),
        "snapshot_seconds": round(seconds, 1),
        "snapshot_rate": round((watch.at(last) - begun.offsets) / seconds),
        **cores,
    }
