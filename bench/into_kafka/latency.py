"""Measures the latency from a commit to a consumer while both sides keep up.

A writer inserts rows, one in each transaction, and records when the commit returned. A read-committed consumer records when it
gets the record. Both are processes of this machine and read the same clock. Each rate has a warm-up that does not
count. A row that does not arrive exactly once is an error.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measuring import connectors, topics
from bench.measuring.children import Child, child, login
from bench.measuring.figures import spread
from bench.measuring.processes import Sampler, Side, SideError, started, wait_for_quiet
from bench.measuring.servers import Servers

DATABASE = "bench_latency"
PARTITIONS = 4
TICKS = "CREATE TABLE ticks (id BIGINT PRIMARY KEY, note VARCHAR(40), at DATETIME(6))"
LIVE_TIMEOUT = 180
LAST_ARRIVALS = 5
SETUPS: dict[str, tuple[str, dict[str, str]]] = {
    "tailrace, default": ("tailrace", {}),
    "Debezium, default": ("Debezium", {}),
    "Debezium, tuned": ("Debezium", connectors.LATENCY_TUNED),
}


@dataclass(frozen=True)
class Phase:
    """Inserts at a rate for a duration, after a warm-up that does not count."""

    rate: int
    warm_up_seconds: float
    seconds: float


PHASES = (Phase(10, 20, 45), Phase(1000, 10, 15))


def measure(servers: Servers, setup: str, prefix: str, phases: tuple[Phase, ...] = PHASES) -> list[dict[str, Any]]:
    """The latencies of one setup, with a result for each rate."""
    _prepare(servers)
    name, tuning = SETUPS[setup]
    topic = f"{prefix}.{DATABASE}.ticks"
    topics.create(servers.address, [topic], PARTITIONS)
    given = connectors.properties(servers, DATABASE, prefix, compression="none", schemas=False) | tuning
    del given["producer.override.compression.type"]  # each side uses its default
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            command = _command(servers, name, given, Path(folder))
            wait_for_quiet(servers.patience)
            return _measured(servers, name, command, topic, Path(folder), phases)
    finally:
        topics.remove(servers.address, prefix)


def _prepare(servers: Servers) -> None:
    servers.mysql.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    servers.mysql.sql(TICKS, DATABASE)


def _command(servers: Servers, name: str, given: Mapping[str, str], folder: Path) -> list[str]:
    if name == "tailrace":
        return connectors.tailrace_command(servers, given, folder, available_now=False)
    return connectors.connect_command(servers, given, folder)


def _measured(
    servers: Servers, name: str, command: list[str], topic: str, folder: Path, phases: tuple[Phase, ...]
) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        arrivals = stack.enter_context(reader(servers, topic, PARTITIONS, folder))
        commits = stack.enter_context(writer(servers, DATABASE, folder))
        side = stack.enter_context(started(name, command, folder / "log.txt", connectors.tailrace_env()))
        wait_until_live(side, arrivals, commits)
        sampler = stack.enter_context(Sampler(side, servers.pids(), interval=0.5))
        written = list(_write(side, commits, phases))
        time.sleep(LAST_ARRIVALS)
        side.check()
        arrived = by_id(arrivals.last_words())
    return [_result(phase, rows, arrived, span, sampler) for phase, rows, span in written]


def by_id(arrivals: list[tuple[int, int]]) -> dict[int, list[int]]:
    """The times at which each row arrived."""
    arrived: dict[int, list[int]] = {}
    for id_, moment in arrivals:
        arrived.setdefault(id_, []).append(moment)
    return arrived


def waits_of(rows: list[list[int]], arrived: Mapping[int, list[int]]) -> list[float]:
    """Milliseconds from each row's commit to its arrival. Raises an error if a row did not arrive exactly once."""
    wrong = [id_ for id_, _ in rows if len(arrived.get(id_, ())) != 1]
    if wrong:
        raise ValueError(f"{len(wrong)} of {len(rows)} rows did not arrive exactly once, the first has id {wrong[0]}")
    return [(arrived[id_][0] - moment) / 1e6 for id_, moment in rows]


def _write(
    side: Side, commits: Child, phases: tuple[Phase, ...]
) -> Iterator[tuple[Phase, list[list[int]], tuple[float, float]]]:
    first = 1_000_000
    for phase in phases:
        commits.ask({"rate": phase.rate, "seconds": phase.warm_up_seconds, "first": first}, phase.warm_up_seconds)
        side.check()
        begun = time.time()
        rows = commits.ask({"rate": phase.rate, "seconds": phase.seconds, "first": first + 500_000}, phase.seconds)
        yield phase, rows, (begun, time.time())
        side.check()
        first += 1_000_000


def _result(
    phase: Phase, rows: list[list[int]], arrived: Mapping[int, list[int]], span: tuple[float, float], sampler: Sampler
) -> dict[str, Any]:
    seconds = (rows[-1][1] - rows[0][1]) / 1e9
    cpu = {
        f"{group}_cores": round(sampler.ledger.between(group, *span) / (span[1] - span[0]), 3)
        for group in ("python", "java")
    }
    return {
        "rate": phase.rate,
        "reached": round((len(rows) - 1) / seconds, 1),
        **spread(waits_of(rows, arrived)),
        **cpu,
    }


def wait_until_live(side: Side, arrivals: Child, commits: Child) -> None:
    """Write rows from time to time until the first record arrives."""
    deadline, first = time.monotonic() + LIVE_TIMEOUT, 1
    while not arrivals.has_said("live"):
        side.check()
        if time.monotonic() > deadline:
            raise SideError(side, f"{side.name} delivered nothing for {LIVE_TIMEOUT} s")
        commits.ask({"rate": 4, "seconds": 0.5, "first": first}, 1)
        first += 2


@contextmanager
def reader(servers: Servers, topic: str, partitions: int, folder: Path) -> Iterator[Child]:
    """A consumer that records when it gets the records of a topic; with the first one it prints "live"."""
    job = {"address": servers.address, "topic": topic, "partitions": partitions}
    with child(Path(__file__).with_name("latency_reader.py"), job, folder) as made:
        yield made


@contextmanager
def writer(servers: Servers, database: str, folder: Path) -> Iterator[Child]:
    """A writer into the table `ticks` of a database, which takes commands."""
    with child(Path(__file__).with_name("latency_writer.py"), {"connect": login(servers, database)}, folder) as made:
        if made.answer(30) != "ready":
            raise RuntimeError("the writer does not start")
        yield made
