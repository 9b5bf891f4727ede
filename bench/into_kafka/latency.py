"""From a commit to a consumer: how long a change takes while both sides keep up.

A writer inserts rows one a transaction and notes the time when the commit returned to it; a read-committed consumer
notes when it is handed the record. Both are processes of this machine and read the same clock. Before each rate that
counts there is a warm-up at the same rate that does not. A row that does not arrive exactly once is an error.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.into_kafka import connectors, topics
from bench.into_kafka.figures import spread
from bench.into_kafka.processes import Sampler, Side, SideError, started, wait_for_quiet
from bench.into_kafka.servers import Servers

DATABASE = "bench_latency"
PARTITIONS = 4
LIVE_TIMEOUT = 180
LAST_ARRIVALS = 5
SETUPS: dict[str, tuple[str, dict[str, str]]] = {
    "tailrace, default": ("tailrace", {}),
    "Debezium, default": ("Debezium", {}),
    "Debezium, tuned": ("Debezium", connectors.LATENCY_TUNED),
}


@dataclass(frozen=True)
class Phase:
    """Rows at a rate for a time, after a warm-up that is not counted."""

    rate: int
    warm_up_seconds: float
    seconds: float


PHASES = (Phase(10, 20, 45), Phase(1000, 10, 15))


def measure(servers: Servers, setup: str, prefix: str, phases: tuple[Phase, ...] = PHASES) -> list[dict[str, Any]]:
    """The latencies of one setup, a result for each rate."""
    _prepare(servers)
    name, tuning = SETUPS[setup]
    topic = f"{prefix}.{DATABASE}.ticks"
    topics.create(servers.address, [topic], PARTITIONS)
    given = connectors.properties(servers, DATABASE, prefix, compression="none", schemas=False) | tuning
    del given["producer.override.compression.type"]  # each side's default
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            command = _command(servers, name, given, Path(folder))
            wait_for_quiet(servers.patience)
            return _measured(servers, name, command, topic, Path(folder), phases)
    finally:
        topics.remove(servers.address, prefix)


def _prepare(servers: Servers) -> None:
    servers.mysql.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")
    servers.mysql.sql("CREATE TABLE ticks (id BIGINT PRIMARY KEY, note VARCHAR(40), at DATETIME(6))", DATABASE)


def _command(servers: Servers, name: str, given: Mapping[str, str], folder: Path) -> list[str]:
    if name == "tailrace":
        return connectors.tailrace_command(servers, given, folder, available_now=False)
    return connectors.connect_command(servers, given, folder)


def _measured(
    servers: Servers, name: str, command: list[str], topic: str, folder: Path, phases: tuple[Phase, ...]
) -> list[dict[str, Any]]:
    with ExitStack() as stack:
        reader = stack.enter_context(_reader(servers, topic, folder))
        writer = stack.enter_context(_writer(servers, folder))
        side = stack.enter_context(started(name, command, folder / "log.txt", connectors.tailrace_env()))
        _wait_until_live(side, reader, writer)
        sampler = stack.enter_context(Sampler(side, servers.pids(), interval=0.5))
        written = list(_write(side, writer, phases))
        time.sleep(LAST_ARRIVALS)
        side.check()
        arrived: dict[int, list[int]] = {}
        for id_, moment in reader.last_words():
            arrived.setdefault(id_, []).append(moment)
    return [_result(phase, rows, arrived, span, sampler) for phase, rows, span in written]


def _write(
    side: Side, writer: Child, phases: tuple[Phase, ...]
) -> Iterator[tuple[Phase, list[list[int]], tuple[float, float]]]:
    first = 1_000_000
    for phase in phases:
        writer.ask({"rate": phase.rate, "seconds": phase.warm_up_seconds, "first": first}, phase.warm_up_seconds)
        side.check()
        begun = time.time()
        rows = writer.ask({"rate": phase.rate, "seconds": phase.seconds, "first": first + 500_000}, phase.seconds)
        yield phase, rows, (begun, time.time())
        side.check()
        first += 1_000_000


def _result(
    phase: Phase, rows: list[list[int]], arrived: Mapping[int, list[int]], span: tuple[float, float], sampler: Sampler
) -> dict[str, Any]:
    wrong = [id_ for id_, _ in rows if len(arrived.get(id_, ())) != 1]
    if wrong:
        raise ValueError(f"{len(wrong)} of {len(rows)} rows did not arrive exactly once, the first has id {wrong[0]}")
    waits = [(arrived[id_][0] - moment) / 1e6 for id_, moment in rows]
    seconds = (rows[-1][1] - rows[0][1]) / 1e9
    cpu = {
        f"{group}_cores": round(sampler.ledger.between(group, *span) / (span[1] - span[0]), 3)
        for group in ("python", "java")
    }
    return {"rate": phase.rate, "reached": round((len(rows) - 1) / seconds, 1), **spread(waits), **cpu}


def _wait_until_live(side: Side, reader: Child, writer: Child) -> None:
    deadline, first = time.monotonic() + LIVE_TIMEOUT, 1
    while not reader.said("live"):
        side.check()
        if time.monotonic() > deadline:
            raise SideError(side, f"{side.name} delivered nothing for {LIVE_TIMEOUT} s")
        writer.ask({"rate": 4, "seconds": 0.5, "first": first}, 1)
        first += 2


@contextmanager
def _reader(servers: Servers, topic: str, folder: Path) -> Iterator[Child]:
    job = {"address": servers.address, "topic": topic, "partitions": PARTITIONS}
    with _child("latency_reader.py", job, folder) as child:
        yield child


@contextmanager
def _writer(servers: Servers, folder: Path) -> Iterator[Child]:
    mysql = servers.mysql
    connect = {
        "host": mysql.host,
        "port": mysql.port,
        "user": mysql.user,
        "password": mysql.password,
        "database": DATABASE,
    }
    with _child("latency_writer.py", {"connect": connect}, folder) as child:
        if child.answer(30) != "ready":
            raise RuntimeError("the writer does not start")
        yield child


class Child:
    """A process of ours that is asked and answers in lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: queue.Queue[str | None] = queue.Queue()  # None: it has ended
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, order: dict[str, Any], seconds: float) -> Any:
        """Give an order and wait for the answer, which takes about so long."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return json.loads(self.answer(2 * seconds + 60))

    def answer(self, seconds: float) -> str:
        """The next line."""
        line = self._lines.get(timeout=seconds)
        if line is None:
            raise RuntimeError(f"{self._process.args} ended")
        return line

    def said(self, word: str) -> bool:
        """Whether a line is there and says that."""
        return not self._lines.empty() and self._lines.get() == word

    def last_words(self) -> Any:
        """What it says when it is told that there is nothing more."""
        assert self._process.stdin
        self._process.stdin.close()
        return json.loads(self.answer(60))

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


@contextmanager
def _child(script: str, job: dict[str, Any], folder: Path) -> Iterator[Child]:
    file = folder / f"{script}.json"
    file.write_text(json.dumps(job))
    command = [sys.executable, str(Path(__file__).with_name(script)), str(file)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Child(process)
    finally:
        process.kill()
        process.wait()
