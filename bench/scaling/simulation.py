"""A snapshot with the real planner, the real state handling of each lane and the real driver, and modelled executors.

Real: the plan (`planning.planned`), each lane's reader with its waves, state and progress, the progress record as Kafka gets
it, figures as they go over the link, their sum and what a terminal shows of it. Modelled: the rows, whose reading and
delivery takes virtual time. CPU is that of this process, apart for the planner, the driver and the lanes. The driver gets its
messages afterwards, in their order, because its process does not hold the lanes' states, which Python's garbage collector
would look at here.
"""

from __future__ import annotations

import gc
import heapq
import json
import resource
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from bench.scaling.executor import ModelDatabase, ModelSource
from bench.scaling.population import Population, Splitter

from tailrace.cli.snapshot_lines import block
from tailrace.config.settings import Settings
from tailrace.connectors.base import Lane, LogBatch, Progress
from tailrace.connectors.load import from_mapping
from tailrace.connectors.shared.snapshots.planning import planned
from tailrace.connectors.shared.snapshots.snapshot_reader import SnapshotReader
from tailrace.sinks.kafka.owner import Owner
from tailrace.sinks.kafka.progress import ProgressRecord, from_json
from tailrace.snapshot.lane_part import LanePart
from tailrace.source.job import Pace
from tailrace.source.run import SNAPSHOT_COMMIT_SECONDS
from tailrace.source.snapshot_progress import SnapshotProgress
from tailrace.source.uncommitted import Figures, Uncommitted

PLACE: Final = {"file": "mysql-bin.000001", "pos": 4}
SOURCE: Final = "mysql shop"
DISPLAY_SECONDS: Final = 0.5  # virtual, between two refreshes of the terminal
PROPERTIES: Final = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "topic.prefix": "shop",
    "database.hostname": "localhost",
    "database.user": "user",
    "database.password": "password",
    "database.server.id": "5400",
}


@dataclass(frozen=True)
class Load:
    """What a lane does in virtual time.

    Attributes:
        rows_a_second: of one lane.
        record_bytes: of one row.
        touches_a_chunk: tables of the lane that the log has a change of, after each chunk.

    """

    rows_a_second: float = 300_000
    record_bytes: int = 380
    touches_a_chunk: int = 1


@dataclass
class Cpu:
    """CPU seconds of this process, by what they were spent on."""

    of: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """A context whose CPU time counts for `name`."""
        begun = time.process_time()
        try:
            yield
        finally:
            self.of[name] = self.of.get(name, 0.0) + time.process_time() - begun


@dataclass
class Outcome:
    """What a simulation cost."""

    cpu: Cpu = field(default_factory=Cpu)
    virtual_seconds: float = 0.0
    rows: int = 0
    waves: int = 0
    chunks: int = 0
    commits: int = 0
    plan_bytes: int = 0
    progress_bytes: int = 0
    largest_progress: int = 0
    figure_bytes: int = 0
    is_done: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON, with the shares that matter."""
        of = self.cpu.of
        central = of["plan"] + of["driver"] + of["display"]
        return {
            "virtual_seconds": self.virtual_seconds,
            "rows": self.rows,
            "chunks": self.chunks,
            "waves": self.waves,
            "commits": self.commits,
            "plan_cpu_s": of["plan"],
            "driver_cpu_s": of["driver"],
            "display_cpu_s": of["display"],
            "central_percent_of_a_core": 100 * central / self.virtual_seconds,
            "running_percent_of_a_core": 100 * (of["driver"] + of["display"]) / self.virtual_seconds,
            "wave_cpu_us": 1e6 * of["wave"] / self.waves,
            "commit_cpu_us": 1e6 * of["commit"] / max(self.commits, 1),
            "lane_percent_of_a_core": 100 * (of["wave"] + of["commit"]) / (self.rows / self.rate),
            "plan_bytes": self.plan_bytes,
            "progress_bytes": self.progress_bytes,
            "largest_progress": self.largest_progress,
            "figure_bytes": self.figure_bytes,
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "is_done": self.is_done,
        }

    rate: float = 1.0


class _Lane:
    """One executor's lane: the reader, and what it has not committed yet."""

    def __init__(
        self, number: int, progress: Progress, rows: Mapping[str, int], load: Load, settings: Settings, lanes: int
    ) -> None:
        self.number = number
        self.now = 0.0
        self.figures = Figures(lane=number)
        self.waiting = Uncommitted()
        self.committed_at = 0.0
        parts: Any = (progress.snapshot or {})["parts"]
        own = [segment.table for segment in LanePart.from_dict(parts[number]).state.segments]
        self.source = ModelSource(rows, own, touches_a_chunk=load.touches_a_chunk)
        self.record = ProgressRecord(source=SOURCE, lanes=lanes, owner=Owner("run"), progress=progress)
        reader = SnapshotReader(
            settings, Lane(number, lanes), progress, "000001.000004", lambda _: ModelDatabase(self.source), clock=self._clock
        )
        self.batches = reader.batches()

    def _clock(self) -> float:
        return self.now


def simulated(tables: Population, lanes: int, load: Load | None = None, waves_at_most: int | None = None) -> Outcome:
    """Simulate a snapshot, or its first waves."""
    load = load or Load()
    settings = from_mapping(PROPERTIES)
    outcome = Outcome(rate=load.rows_a_second)
    cpu, keys, rows = outcome.cpu, tables.keys, dict(tables.rows)
    with cpu.on("plan"):
        plan = planned(settings, keys, rows, lanes, PLACE, Splitter(rows))
        record = ProgressRecord(
            source=SOURCE, lanes=plan["lanes"], owner=Owner("run"), progress=Progress("", PLACE, plan)
        ).to_json()
    outcome.plan_bytes = len(record)
    found = from_json(record, SOURCE, "the record").progress
    assert found is not None
    tables_rows = tables.by_name
    with cpu.on("open"):
        working = [_Lane(n, found, tables_rows, load, settings, plan["lanes"]) for n in range(plan["lanes"])]
    gc.freeze()  # each lane has a process of its own, which does not hold the others'
    _run(working, load, outcome, waves_at_most)
    gc.unfreeze()
    return outcome


def _run(working: list[_Lane], load: Load, outcome: Outcome, waves_at_most: int | None) -> None:
    """Let the lanes work, always the one whose virtual time is the earliest."""
    pace, messages = Pace(), list[tuple[float, bytes]]()
    cpu, queue = outcome.cpu, [(0.0, lane.number) for lane in working]
    while queue and (waves_at_most is None or outcome.waves < waves_at_most):
        _, number = heapq.heappop(queue)
        lane = working[number]
        with cpu.on("wave"):
            batch = next(lane.batches, None)
        if batch is not None:
            _take(lane, batch, load, outcome)
        if batch is None or _is_due(lane, pace):
            messages.append((lane.now, zlib.compress(_commit(lane, outcome).encode(), 1)))
        if batch is not None:
            heapq.heappush(queue, (lane.now, number))
        outcome.virtual_seconds = max(outcome.virtual_seconds, lane.now)
    outcome.chunks = sum(lane.source.chunks for lane in working)
    outcome.is_done = not queue
    working.clear()
    _drive(messages, outcome)


def _drive(messages: list[tuple[float, bytes]], outcome: Outcome) -> None:
    """What the driver does with all messages, and what its terminal shows meanwhile."""
    gc.collect()
    gc.freeze()
    progress, shown_at, cpu = SnapshotProgress(), 0.0, outcome.cpu
    for now, packed in messages:
        text = zlib.decompress(packed)
        with cpu.on("driver"):
            _, content = json.loads(text)
            if content["snapshot"] is not None:
                progress.add(content["lane"], content["snapshot"], now)
        if now - shown_at >= DISPLAY_SECONDS:
            shown_at = now
            with cpu.on("display"):
                block(progress)
    gc.unfreeze()
    outcome.is_done = outcome.is_done and progress.done
    cpu.of.setdefault("display", 0.0)


def _take(lane: _Lane, batch: LogBatch, load: Load, outcome: Outcome) -> None:
    outcome.waves += 1
    outcome.rows += batch.changes
    lane.now += batch.changes / load.rows_a_second
    lane.waiting.add(batch, batch.changes, batch.changes * load.record_bytes)


def _is_due(lane: _Lane, pace: Pace) -> bool:
    waiting = lane.waiting
    enough = waiting.bytes >= pace.commit_bytes or waiting.changes >= pace.commit_changes
    return enough or lane.now - lane.committed_at >= SNAPSHOT_COMMIT_SECONDS


def _commit(lane: _Lane, outcome: Outcome) -> str:
    """Commit what waits; returns the message that goes over the link."""
    waiting, lane.waiting = lane.waiting, Uncommitted()
    lane.committed_at = lane.now
    with outcome.cpu.on("commit"):
        if waiting.progress is not None:
            stored = _stored(lane.record, waiting.progress)
            outcome.progress_bytes += stored
            outcome.largest_progress = max(outcome.largest_progress, stored)
        waiting.count_into(lane.figures)
        text = json.dumps(["figures", asdict(lane.figures)])
        lane.figures.snapshot = None
    outcome.commits += 1
    outcome.figure_bytes += len(text)
    return text


def _stored(record: ProgressRecord, progress: Progress) -> int:
    """The size of a progress record, as Kafka gets it."""
    written = ProgressRecord(
        source=record.source, lanes=record.lanes, owner=record.owner, number=record.number + 1, progress=progress
    )
    return len(written.to_json())
