"""Measures one run of one side: catching up with changes in a change table, or a snapshot of a table.

Time and CPU count as in `bench.into_kafka.catch_up`: from the append of the first record until the marker is visible to a
read-committed consumer and everything else is appended. Then the records are counted.

In a snapshot tailrace reads much of a table, and waits for its changes to be captured, before its first record. So the time of
snapshots is also taken from when the stand-in begins to work for the rows, for both sides alike, and CPU only from then on.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.change_tables.plan import CATCH_UP, SNAPSHOT, Case
from bench.change_tables.system import PARTITIONS, SERVER, Beginning, Data, Servers, System
from bench.measuring import connectors, topics
from bench.measuring.observing import CountError, costs, observed, speed, stand_still, wait_for
from bench.measuring.processes import Sampler, SideError, wait_until
from bench.measuring.watching import Marker

ANY_PREFIX = "prefix-of-the-run"  # in a schema history
READS = {  # the line of the log after which a side reads the rows of a snapshot
    "tailrace": "reading the snapshot",
    "Debezium": "Exporting data from table",
}
READER_OF_DEBEZIUM = "io.debezium.relational.RelationalSnapshotChangeEventSource"  # logs that line
AT_WORK = 0.05  # CPU seconds of the stand-in after that line, from which on it counts as working


class Watched(NamedTuple):
    """A run that has ended.

    Attributes:
        sampler: of its costs.
        begun: when its process started, seconds since the epoch.
        others: cores that other processes used just before.
        reads: when it logged that it reads the rows of a snapshot; None: it takes none.

    """

    sampler: Sampler
    begun: float
    others: float
    reads: float | None = None


class Line:
    """Finds out when a line appears in a log."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text
        self.seen: float | None = None

    def look(self) -> None:
        """Check whether it is there now."""
        if self.seen is None and self._path.exists() and self._text in self._path.read_text(errors="replace"):
            self.seen = time.time()


def measure(system: System, servers: Servers[Any], data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; returns its figures."""
    names = [data.topic(prefix), data.marker(prefix)]
    topics.create(servers.address, names[:1], PARTITIONS)
    topics.create(servers.address, names[1:], 1)
    given = system.properties(servers, prefix) | _of_case(case)
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            run = _tailrace if side == "tailrace" else _debezium
            with Marker(servers.address, data.marker(prefix)) as marker:
                watched = run(servers, data, given, Path(folder), marker)
        return _figures(watched, marker, topics.count(servers.address, names), data, case)
    finally:
        topics.remove(servers.address, prefix)


def _of_case(case: Case) -> dict[str, str]:
    schemas = str(case.schemas == "on").lower()
    return {
        "snapshot.mode": "no_data" if case.task == CATCH_UP else "initial",
        "key.converter.schemas.enable": schemas,
        "value.converter.schemas.enable": schemas,
        "producer.override.compression.type": case.compression,
    }


def _tailrace(servers: Servers[Any], data: Data, given: dict[str, str], folder: Path, marker: Marker) -> Watched:
    if data.beginning is not None:
        connectors.tailrace_begins_at(servers, given, folder, data.beginning.position)
    command = connectors.tailrace_command(servers, given, folder, available_now=True)
    with observed(servers, "tailrace", command, folder) as (side, sampler, others):
        line = Line(side.log, READS["tailrace"])

        def is_done() -> bool:
            line.look()
            return side.ended() is not None

        wait_for(side, _names(given, data), servers, done=is_done)
        if marker.seen is None:
            wait_until(
                lambda: marker.seen is not None, 10, lambda: SideError(side, "tailrace ended without the last row")
            )
    return Watched(sampler, side.started, others, line.seen)


def _debezium(servers: Servers[Any], data: Data, given: dict[str, str], folder: Path, marker: Marker) -> Watched:
    if data.beginning is not None:
        _debezium_begins_at(given, folder, data.beginning)
    command = connectors.connect_command(servers, given, folder, told=(READER_OF_DEBEZIUM,))
    with observed(servers, "Debezium", command, folder) as (side, sampler, others):
        line = Line(side.log, READS["Debezium"])

        def is_done() -> bool:
            line.look()
            return marker.seen is not None

        wait_for(side, _names(given, data), servers, done=is_done)
        stand_still(servers.address, _names(given, data))
    return Watched(sampler, side.started, others, line.seen)


def _debezium_begins_at(given: dict[str, str], folder: Path, beginning: Beginning) -> None:
    prefix = given["topic.prefix"]
    partition = {"server": prefix, **beginning.partition}
    connectors.store_offset(given, folder, partition, beginning.offset, beginning.history.replace(ANY_PREFIX, prefix))


def _names(given: dict[str, str], data: Data) -> list[str]:
    prefix = given["topic.prefix"]
    return [data.topic(prefix), data.marker(prefix)]


def _figures(watched: Watched, marker: Marker, found: topics.Counted, data: Data, case: Case) -> dict[str, Any]:
    if found.records != data.records:
        raise CountError(f"{found.records:,} records are in Kafka and not {data.records:,}")
    first, last = found.first, max(found.last, marker.seen or 0.0)
    reads = _reads(watched) if case.task == SNAPSHOT else None
    return {
        "changes": data.changes,
        "records": found.records,
        **speed(data.changes, first, last, watched.begun),
        **({} if reads is None else {"rate_of_reading": round(data.changes / (last - reads))}),
        **costs(watched.sampler, first if reads is None else reads, last, data.changes, watched.others),
        "value_bytes": round(found.value_bytes),
    }


def _reads(watched: Watched) -> float:
    """When the stand-in began to work for the rows of a snapshot, seconds since the epoch."""
    if watched.reads is None:
        raise CountError(f"the log does not say when the rows were read: {' or '.join(map(repr, READS.values()))}")
    at_work = watched.sampler.ledger.when(SERVER, watched.reads, AT_WORK)
    return watched.reads if at_work is None else at_work  # few rows are too little work to be seen
