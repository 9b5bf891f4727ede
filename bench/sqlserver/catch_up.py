"""Measures one run of one side: catching up with changes in a change table, or a snapshot of a table.

Time and CPU count as in `bench.into_kafka.catch_up`: from the append of the first record until the marker is visible to a
read-committed consumer and everything else is appended. Then the records are counted.

In a snapshot tailrace reads much of a table, and waits for the capture job, before its first record. So the time of its
snapshots is also taken from when the stand-in begins to work for it, and CPU only from then on.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from bench.measuring import connectors, topics
from bench.measuring.observing import CountError, costs, observed, speed, stand_still, wait_for
from bench.measuring.processes import Sampler, SideError, wait_until
from bench.measuring.watching import Marker
from bench.sqlserver.data import ANY_PREFIX, NAME, PARTITIONS, Data, properties
from bench.sqlserver.plan import CATCH_UP, Case
from bench.sqlserver.servers import SERVER, Servers

from tailrace_standins.sqlserver.cdc import lsn

READS = "reading the snapshot"  # the line of tailrace's log after which it starts its tasks
AT_WORK = 0.05  # CPU seconds of the stand-in after that line, from which on it counts as working


class Watched(NamedTuple):
    """A run that has ended.

    Attributes:
        sampler: of its costs.
        begun: when its process started, seconds since the epoch.
        others: cores that other processes used just before.
        reads: when it logged that it reads a snapshot; None: it does not log that.

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


def measure(servers: Servers, data: Data, case: Case, side: str, prefix: str) -> dict[str, Any]:
    """Do one run of one side; returns its figures."""
    names = [*data.topics(prefix), data.marker(prefix)]
    topics.create(servers.address, data.topics(prefix), PARTITIONS)
    topics.create(servers.address, [data.marker(prefix)], 1)
    try:
        with tempfile.TemporaryDirectory(prefix="tailrace-bench-") as folder:
            run = _tailrace if side == "tailrace" else _debezium
            with Marker(servers.address, data.marker(prefix)) as marker:
                watched = run(servers, data, case, _given(servers, case, prefix), Path(folder), marker)
        return _figures(watched, marker, topics.count(servers.address, names), data)
    finally:
        topics.remove(servers.address, prefix)


def _given(servers: Servers, case: Case, prefix: str) -> dict[str, str]:
    schemas = str(case.schemas == "on").lower()
    return properties(
        servers,
        prefix,
        {
            "snapshot.mode": "no_data" if case.task == CATCH_UP else "initial",
            "key.converter.schemas.enable": schemas,
            "value.converter.schemas.enable": schemas,
            "producer.override.compression.type": case.compression,
        },
    )


def _tailrace(servers: Servers, data: Data, case: Case, given: dict[str, str], folder: Path, marker: Marker) -> Watched:
    if case.task == CATCH_UP:
        connectors.tailrace_begins_at(servers, given, folder, {NAME: {"lsn": _text(data.before)}})
    command = connectors.tailrace_command(servers, given, folder, available_now=True)
    with observed(servers, "tailrace", command, folder) as (side, sampler, others):
        line = Line(side.log, READS)

        def is_done() -> bool:
            line.look()
            return side.ended() is not None

        wait_for(side, _names(given, data), servers, done=is_done)
        if marker.seen is None:
            wait_until(
                lambda: marker.seen is not None, 10, lambda: SideError(side, "tailrace ended without the last row")
            )
    return Watched(sampler, side.started, others, line.seen)


def _debezium(servers: Servers, data: Data, case: Case, given: dict[str, str], folder: Path, marker: Marker) -> Watched:
    prefix = given["topic.prefix"]
    if case.task == CATCH_UP:
        partition = {"server": prefix, "database": NAME}
        offset = {"commit_lsn": _text(data.before), "change_lsn": "NULL", "event_serial_no": 1}
        connectors.store_offset(given, folder, partition, offset, data.history.replace(ANY_PREFIX, prefix))
    command = connectors.connect_command(servers, given, folder)
    with observed(servers, "Debezium", command, folder) as (side, sampler, others):
        wait_for(side, _names(given, data), servers, done=lambda: marker.seen is not None)
        stand_still(servers.address, _names(given, data))
    return Watched(sampler, side.started, others)


def _names(given: dict[str, str], data: Data) -> list[str]:
    prefix = given["topic.prefix"]
    return [*data.topics(prefix), data.marker(prefix)]


def _text(number: bytes) -> str:
    return lsn.lsn_text(number).rstrip("\0")


def _figures(watched: Watched, marker: Marker, found: topics.Counted, data: Data) -> dict[str, Any]:
    if found.records != data.records:
        raise CountError(f"{found.records:,} records are in Kafka and not {data.records:,}")
    first, last = found.first, max(found.last, marker.seen or 0.0)
    reads = None if watched.reads is None else watched.sampler.ledger.when(SERVER, watched.reads, AT_WORK)
    return {
        "changes": data.changes,
        "records": found.records,
        **speed(data.changes, first, last, watched.begun),
        **({} if reads is None else {"rate_of_reading": round(data.changes / (last - reads))}),
        **costs(watched.sampler, first if reads is None else reads, last, data.changes, watched.others),
        "value_bytes": round(found.value_bytes),
    }
