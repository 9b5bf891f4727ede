"""tailrace as a `Session` of real Debezium is: the same scenarios of signals are played with it, without Spark.

    with Following(settings, server, folder) as session:
        signalled.incremental(session)
    session.records

It reads on only while it is waited for (`until`): what happens between two batches is decided by the scenario.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from tests.differential import cases
from tests.differential.snapshots.playing import record_of
from tests.differential.snapshots.running import PATIENCE, Captured

from support.reading import plain
from support.signalling import stored
from tailrace.config.settings import Settings
from tailrace.connectors.base import Lane, LogBatch, LogRange, Progress
from tailrace.connectors.mysql.reader import MySqlConnector
from tailrace.events.event import Event
from tailrace.events.pipeline import pipeline_of
from tailrace_standins.servers.mysql_server import MySqlServer

OWN_WORDS = {"cannot be parsed": "'bad' from the channel source is left out"}


class Following:
    """One connector that follows a server's log, in one run or several."""

    def __init__(self, settings: Settings, server: MySqlServer, folder: Path) -> None:
        self._connector = MySqlConnector(settings)
        self.server = server
        self.folder = folder
        self.records: list[Captured] = []
        self.progress: Progress | None = None
        self._history: list[Any] = []
        self._batches: Iterator[LogBatch] | None = None
        self._run = -1
        self._lines = _Lines()

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        logger = logging.getLogger("tailrace")
        self._level = logger.level
        logger.setLevel(logging.INFO)
        logger.addHandler(self._lines)
        return self

    def __exit__(self, *_: object) -> None:
        logger = logging.getLogger("tailrace")
        logger.removeHandler(self._lines)
        logger.setLevel(self._level)
        self.stop()

    def start(self) -> None:
        """Begin, or go on where the last run has ended."""
        self._run += 1
        if self.progress is None:
            point = self._connector.start_point()
            self.progress, self._history = stored(Progress("", point.restart)), list(point.history)
        else:
            self._take_events(self._connector.skipped_notification(self.progress))
        range_ = LogRange(self.progress.restart, None, None, Lane())
        self._batches = self._connector.read(range_, self.progress, tuple(self._history))

    def stop(self) -> None:
        """Read no further; what was read is delivered."""
        batches: Any = self._batches
        if batches is not None:
            batches.close()
        self._batches = None

    def until(self, condition: Callable[[Sequence[Captured]], object], what: str) -> None:
        """Read on until the records so far fulfil a condition, in good order: between two batches."""
        deadline = time.monotonic() + PATIENCE
        assert self._batches is not None
        while not condition(self.records):
            assert time.monotonic() < deadline, f"{what} did not come"
            self._take(next(self._batches))

    def until_logged(self, text: str) -> None:
        """Read on until a line of the log has this text, or what says so here."""
        wanted = OWN_WORDS.get(text, text)
        self.until(lambda _: any(wanted in line for line in self._lines.found), f"{wanted!r} in the log")

    def sql(self, *statements: str) -> None:
        """Run statements in one session of the server and commit."""
        cases.run_all(self.server.port, [*statements, "COMMIT"])

    def history(self) -> list[Any]:
        """The records of the schema history."""
        return self._history

    def _take(self, batch: LogBatch) -> None:
        self.progress = stored(batch.progress)
        self._history += json.loads(json.dumps(list(batch.history)))
        self._take_events(batch.events, interleaved=batch.is_interleaved)

    def _take_events(self, given: Sequence[Event], *, interleaved: bool = False) -> None:
        for records in pipeline_of(self._connector.settings).records(list(given), interleaved=interleaved):
            of = (records.topic, records.partition)
            self.records += [self._captured(*of, plain(records, i)) for i in range(len(records))]

    def _captured(self, topic: str, partition: int | None, found: Mapping[str, Any]) -> Captured:
        return Captured(record_of(topic, found), partition, {}, {}, self._run)


class _Lines(logging.Handler):
    """Keeps the lines of a log."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())
