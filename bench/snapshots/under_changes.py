"""Measures a snapshot of a large table that changes meanwhile: its speed, how much of the log it reads, and its correctness.

A writer changes the table at a rate. tailrace reads the snapshot (`initial_only`) and ends; then the writer ends. A second run
(`initial`, up to the log's head) delivers the log from the snapshot's position on. The topic, folded to the last value of each
key, must then be equal to the table.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import orjson
from bench.measuring import connectors, topics
from bench.measuring.children import Child, child, login
from bench.measuring.observing import CountError, costs, observed, speed, wait_for
from bench.measuring.processes import Sampler, Side
from bench.measuring.servers import Servers
from bench.measuring.watching import Watch
from bench.snapshots import replayed
from bench.snapshots.filled import PARTITIONS, Filled
from bench.snapshots.initial import MASTER
from bench.snapshots.log_bytes import LogWatch, bytes_read, counting_env, share_of_events

SEED = 20


def measure(servers: Servers, filled: Filled, rate: int, prefix: str) -> dict[str, Any]:
    """Do one run. The table `orders` must have the keys 2, 4, 6 and so on; afterwards it has others."""
    topic = filled.topic(prefix, "orders")
    keys = 2 * (filled.rows["orders"] + 1)
    topics.create(servers.address, [topic], PARTITIONS)
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            found = _snapshot(servers, filled, rate, prefix, Path(folder))
            found["log_seconds"] = _log(servers, filled, prefix, Path(folder))
        sums = replayed.compare(servers, topic, filled.database, keys)
        if sums.reads != found["rows"]:
            raise CountError(
                f"{sums.reads:,} rows of the snapshot are in Kafka, and were {found['rows']:,} before the log"
            )
        return {"rate_of_changes": rate, **found, "records": sums.records, "rows_at_end": int(sums.rows.sum())}
    finally:
        topics.remove(servers.address, prefix)


def _properties(servers: Servers, filled: Filled, prefix: str, mode: str) -> dict[str, str]:
    given = connectors.properties(servers, filled.database, prefix, compression="lz4", schemas=False)
    return given | replayed.PROPERTIES | {"snapshot.mode": mode}


def _snapshot(servers: Servers, filled: Filled, rate: int, prefix: str, folder: Path) -> dict[str, Any]:
    topic = filled.topic(prefix, "orders")
    counts = folder / "log bytes"
    given = _properties(servers, filled, prefix, "initial_only")
    command = connectors.tailrace_command(servers, given, folder, available_now=False, master=MASTER)
    job = {"connect": login(servers, filled.database), "rows": filled.rows["orders"], "rate": rate, "seed": SEED}
    with ExitStack() as opened:
        side, sampler, others = opened.enter_context(
            observed(servers, "tailrace", command, folder, counting_env(counts))
        )
        writer = opened.enter_context(child(Path(__file__).with_name("changes_writer.py"), job, folder))
        log = opened.enter_context(LogWatch(servers))
        watch = opened.enter_context(Watch(servers.address, [topic]))
        _until_read(side, servers, topic, writer)
        written = writer.last_words()
    seen = topics.count(servers.address, [topic])
    return _figures(sampler, side, others, seen, max(seen.last, watch.settled.at), written) | _of_log(
        servers, topic, log, bytes_read(counts), max(seen.last, watch.settled.at)
    )


def _until_read(side: Side, servers: Servers, topic: str, writer: Child) -> None:
    if writer.answer(60) != "ready":
        raise RuntimeError("the writer does not start")
    wait_for(side, [topic], servers, done=lambda: side.ended() is not None)


def _figures(
    sampler: Sampler, side: Side, others: float, seen: topics.Counted, last: float, written: dict[str, float]
) -> dict[str, Any]:
    return {
        "rows": seen.records,
        **speed(seen.records, seen.first, last, side.started),
        **costs(sampler, seen.first, last, seen.records, others),
        "changes": written["changes"],
        "rate_reached": round(written["changes"] / written["seconds"]),
    }


def _of_log(servers: Servers, topic: str, log: LogWatch, received: list[int], last: float) -> dict[str, Any]:
    """The bytes that were written between the snapshot's position and its end, and that were received and read of the log."""
    with closing(topics.batches(servers.address, [topic])) as records:
        source = orjson.loads(next(records)[0].value())["source"]
    written = log.sizes.at(last) - log.before(source["file"], source["pos"])
    share = share_of_events(servers, source["file"], source["pos"])
    read = [share * each for each in received]
    return {
        "log_written_mb": round(written / 1e6, 2),
        "log_received_mb": [round(each / 1e6, 2) for each in received],
        "log_read_mb": [round(each / 1e6, 2) for each in read],
        "log_read_times": round(sum(read) / written, 3),
        "log_read_times_a_task": round(max(read, default=0) / written, 3),
    }


def _log(servers: Servers, filled: Filled, prefix: str, folder: Path) -> float:
    """Deliver the log from the snapshot's position up to its head; returns the seconds from the start."""
    given = _properties(servers, filled, prefix, "initial")
    command = connectors.tailrace_command(servers, given, folder, available_now=True, master=MASTER)
    begun = time.monotonic()
    with observed(servers, "tailrace", command, folder) as (side, _, _):
        wait_for(side, [filled.topic(prefix, "orders")], servers, done=lambda: side.ended() is not None)
    return round(time.monotonic() - begun, 1)
