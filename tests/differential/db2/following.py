"""tailrace in a scenario, as a connector that `playing.play` drives: in this process and without Spark.

It reads on only while it is waited for, so that what happens between two batches is decided by the scenario.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from tests.differential.db2.scenario_session import base, is_mark
from tests.differential.db2.scenarios import Scenario
from tests.differential.db2.stand import Stand
from tests.differential.records import Record
from tests.differential.snapshots.playing import record_of
from tests.differential.snapshots.rules import payload
from tests.differential.snapshots.running import PATIENCE

from support.reading import plain
from support.signalling import stored
from tailrace.config.properties.snapshots import WITH_ROWS
from tailrace.connectors import connector_for
from tailrace.connectors.base import Lane, LogBatch, LogRange, Progress
from tailrace.connectors.load import from_mapping
from tailrace.events.event import Event
from tailrace.events.pipeline import pipeline_of

SCAN_SECONDS = 0.05


class Following:
    """One connector that follows a stand's log, in one run or several; `records` are what it told, in order."""

    def __init__(self, stand: Stand, scenario: Scenario, **changed: str) -> None:
        self.stand = stand
        self.scenario = scenario
        self.properties = {**base(stand), "database.encrypt": "false", **scenario.properties, **changed}
        kept = {name: value for name, value in self.properties.items() if not name.startswith("offset.")}
        self.settings = from_mapping({"header.converter": "org.apache.kafka.connect.json.JsonConverter", **kept})
        self.records: list[Record] = []
        self.progress: Progress | None = None
        self._history: list[Any] = []
        self._batches: Iterator[LogBatch] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, hold: int = 0) -> None:
        """Begin with the snapshot, which is read to its end, or go on where the last run has ended."""
        del hold
        connector = connector_for(self.settings)
        if self.progress is None or self.scenario.snapshots_each_time:
            point = connector.start_point(1 if self.settings.snapshot_mode in WITH_ROWS else 0)
            self.progress, self._history = stored(point.progress), list(point.history)
        if self.progress.snapshot_is_pending:
            with self._captured_again_and_again():
                for batch in connector.snapshot(Lane(), self.progress, tuple(self._history)):
                    self._take(batch)
        else:
            self._told(connector.skipped_notification(self.progress))
        range_ = LogRange(self.progress.restart, None, None, Lane())
        self._batches = connector.read(range_, self.progress, tuple(self._history))

    def until_snapshot(self) -> None:
        """It is read when the connector has begun."""

    def until_marked(self, marks: int) -> None:
        """Read on to the log's end, behind the marker's row."""
        self._until(lambda idle: idle and self._marked(marks), f"marker {marks}")

    def until_told(self, rows: int, mark: str) -> None:
        """Read on until so many rows of snapshots with this mark have come."""
        with self._captured_again_and_again():
            self._until(lambda _: self._marks().count(mark) >= rows, f"{rows} rows {mark}")

    def until_held(self, records: int) -> None:
        """How many records it tells at once is its own affair: it stops where the log has no more for it."""
        del records
        self._until(lambda idle: idle, "the log's end")

    def stop(self) -> None:
        """Read no further; what was read is delivered."""
        batches: Any = self._batches
        if batches is not None:
            batches.close()
        self._batches = None

    def _until(self, condition: Callable[[bool], bool], what: str) -> None:
        assert self._batches is not None
        deadline = time.monotonic() + PATIENCE
        idle = False
        while not condition(idle):
            assert time.monotonic() < deadline, f"{what} did not come"
            batch = next(self._batches)
            idle = batch.idle
            self._take(batch)

    def _marks(self) -> list[Any]:
        return [(payload(each.value).get("source") or {}).get("snapshot") for each in self.records]

    def _marked(self, marks: int) -> bool:
        return any(is_mark(payload(each.value), marks) for each in self.records)

    @contextmanager
    def _captured_again_and_again(self) -> Iterator[None]:
        """asncap works, and time goes on: a snapshot wants to see that capture has passed what it read, if it is exact."""
        if "snapshot.isolation.mode" in self.properties:
            yield
            return
        ended = threading.Event()

        def capture() -> None:
            while not ended.wait(SCAN_SECONDS):
                self.stand.passes()

        working = threading.Thread(target=capture)
        working.start()
        try:
            yield
        finally:
            ended.set()
            working.join()

    def _take(self, batch: LogBatch) -> None:
        self.progress = stored(batch.progress)
        self._history += json.loads(json.dumps(list(batch.history)))
        self._told(batch.events, interleaved=batch.is_interleaved)

    def _told(self, given: Sequence[Event], *, interleaved: bool = False) -> None:
        for records in pipeline_of(self.settings).records(list(given), interleaved=interleaved):
            self.records += [record_of(records.topic, plain(records, i)) for i in range(len(records))]
