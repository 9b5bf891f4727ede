"""Costs that no other benchmark measures, as CPU seconds of tailrace's process and of the servers.

A chunk's query apart from its rows, from reads of the same rows in chunks of different sizes; the plan of a snapshot of many
tables; a commit apart from its records, with progress of several sizes; what the planner asks of each lane in a turn; bytes of
rows, and of changes in the log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, Final

from bench.measuring import servers
from bench.measuring.connectors import properties
from bench.measuring.processes import cpu_seconds
from bench.measuring.results import Results
from bench.measuring.servers import Servers
from bench.snapshots.filled import fill

from bench import workloads
from tailrace.connectors import connector_from
from tailrace.connectors.base import Progress
from tailrace.connectors.load import from_mapping
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.source import MySqlSource
from tailrace.connectors.shared.snapshots.keys import stored_keys
from tailrace.sinks import open_sink
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.segments import Segment

ROWS: Final = 200_000
CHUNKS: Final = (500, 2_000, 16_000)
TABLES: Final = 500
PROGRESS: Final = (1_000, 100_000, 400_000)
COMMITS: Final = 100
WARM_UP: Final = 400
LANES: Final = (1, 16, 64)
LOOKS: Final = 20
LOG_CHANGES: Final = 50_000


def measure(results: Results) -> None:
    """Start both servers and measure what is missing."""
    wanted: list[tuple[str, dict[str, Any], Callable[..., dict[str, Any]]]] = [
        *(("chunk", {"rows_a_chunk": rows}, chunks) for rows in CHUNKS),
        ("start", {"tables": TABLES, "lanes": 64}, start),
        ("bytes", {"workload": "orders"}, sizes),
        *(("commit", {"progress_bytes": size}, commits) for size in PROGRESS),
        *(("look", {"lanes": lanes}, looks) for lanes in LANES),
    ]
    missing = [each for each in wanted if not results.has(each[0], each[1])]
    if not missing:
        return
    with servers.running() as running:
        fill(running, "scaling", {"orders": ROWS})
        for kind, key, do in missing:
            results.add(kind, key, do(running, **key))
            print(f"{kind} {key}: {results.lines[-1]}", flush=True)


def chunks(running: Servers, rows_a_chunk: int) -> dict[str, Any]:
    """Read a table in chunks of so many rows, with a look at the log's head after each, and deliver nothing."""
    given = properties(running, "scaling", "costs", compression="lz4", schemas=False)
    settings = from_mapping(given)
    point = connector_from(given).start_point(1)
    part = LanePart.from_dict((point.snapshot or {})["parts"][0])
    keys = stored_keys(part.keys, ChunkKey.from_dict)
    with closing(MySqlSource(settings, 0, point.restart, point.history, keys, rows_at_most=rows_a_chunk)) as source:
        (rest,) = part.state.segments
        _read(source, rest)  # opens the connection, and loads what is compiled
        sent = _sent(running)
        with _spent(running.pids()) as spent:
            count = 0
            segment: Segment | None = rest
            while segment is not None:
                segment = _read(source, segment)
                count += 1
        return {"chunks": count, "wire_bytes_a_row": (_sent(running) - sent) / ROWS, **_each(spent, count)}


def start(running: Servers, tables: int, lanes: int) -> dict[str, Any]:
    """The plan of a snapshot of so many small tables."""
    running.mysql.sql("DROP DATABASE IF EXISTS many; CREATE DATABASE many")
    for first in range(0, tables, 100):
        numbers = range(first, min(first + 100, tables))
        running.mysql.sql(";".join(f"CREATE TABLE t{n} (id INT PRIMARY KEY, a VARCHAR(20), b INT)" for n in numbers), "many")
    given = properties(running, "many", "costs", compression="lz4", schemas=False)
    connector_from(given).start_point(1)
    with _spent(running.pids()) as spent:
        connector_from(given).start_point(lanes)
    return _each(spent, tables)


def sizes(running: Servers, workload: str) -> dict[str, Any]:
    """Bytes of a row on the server's disk, and of a change in its log, of the workload that benchmarks use."""
    (length,) = running.mysql.sql("SELECT DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'scaling'")[0]
    running.mysql.sql("CREATE DATABASE changed")
    begun = servers.offset(running)
    with running.mysql.connect("changed") as connection:
        workloads.create(connection, workload)
        workloads.fill(connection, workload, LOG_CHANGES)
    files = running.mysql.sql("SHOW BINARY LOGS")
    names = [row[0] for row in files]
    written = sum(int(row[1]) for row in files[names.index(begun["file"]) :]) - begun["pos"]
    return {"row_bytes": int(length) / ROWS, "log_bytes_a_change": written / LOG_CHANGES}


def commits(running: Servers, progress_bytes: int) -> dict[str, Any]:
    """Commit progress of this size, without records."""
    with _opened(running, f"commit{progress_bytes}", lanes=1) as sink:
        sink.open(0)
        progress = Progress("000001.000004", {"file": "mysql-bin.000001", "pos": 4})
        parts = [{"lanes": 1, "state": os.urandom(progress_bytes // 2).hex()} for _ in range(2)]

        def commit(count: int) -> None:
            for number in range(count):
                sink.commit(replace(progress, snapshot=parts[number % 2]), ())

        commit(WARM_UP)  # the broker's Java compiles what it does often
        with _spent(running.pids()) as spent:
            commit(COMMITS)
        return _each(spent, COMMITS)


def looks(running: Servers, lanes: int) -> dict[str, Any]:
    """What the planner asks of the sink in each turn."""
    with _opened(running, f"look{lanes}", lanes=lanes) as sink:
        numbers = range(lanes)
        found = [sink.peek(number) for number in numbers]
        with _spent(running.pids()) as spent:
            for _ in range(LOOKS):
                found = [sink.peek(number) for number in numbers]
        return {"lanes_found": len(found), **_each(spent, LOOKS)}


@contextmanager
def _opened(running: Servers, prefix: str, lanes: int) -> Iterator[Any]:
    given = properties(running, "scaling", prefix, compression="lz4", schemas=False)
    target = f"kafka:{running.address}"
    with closing(open_sink(target, source=f"mysql {prefix}", run="run", link="", document=given)) as sink:
        sink.claim(lanes)
        yield sink


def _read(source: MySqlSource, segment: Segment) -> Segment | None:
    """Read a chunk, and the log after it; returns the rest."""
    chunk = source.read(segment)
    if chunk is None or not hasattr(chunk, "bound"):
        raise RuntimeError(f"{segment.table} can't be read")
    list(source.changes(None))
    return None if chunk.is_last or not len(chunk) else replace(segment, after=chunk.bound(len(chunk) - 1))


def _sent(running: Servers) -> int:
    return int(running.mysql.sql("SHOW GLOBAL STATUS LIKE 'Bytes_sent'")[0][1])


@contextmanager
def _spent(pids: Mapping[str, int]) -> Iterator[dict[str, float]]:
    """CPU seconds of this process and of the servers while the context lasts."""
    spent: dict[str, float] = {}
    before, own = {name: cpu_seconds(pid) for name, pid in pids.items()}, time.process_time()
    yield spent
    spent["own"] = time.process_time() - own
    spent |= {name: cpu_seconds(pid) - before[name] for name, pid in pids.items()}


def _each(spent: Mapping[str, float], count: int) -> dict[str, float]:
    return {f"{name}_cpu_ms": 1000 * seconds / count for name, seconds in spent.items()}
