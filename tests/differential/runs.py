"""Both systems over the same history: servers, runs side by side, and what came out.

A `Bench` owns the servers and the folders. Each history is written once; each variant is then one run of Debezium
and one of tailrace over it.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.differential import cases, debezium, known, reading, records
from tests.differential.compare import Difference, compare
from tests.differential.records import Record
from tests.differential.variants import FULL, HEARTBEATS, HISTORY, LATE, MINIMAL, VARIANTS, Variant, all_properties

from tailrace.connectors.base import StartPoint
from tailrace_standins.servers.mysql_server import MySqlServer

PREFIX = "dbz"
FLAGS = {FULL: {}, MINIMAL: {"gtid": False, "row_metadata": "MINIMAL"}}


@dataclass(frozen=True)
class History:
    """A server whose log holds the cases, and where in it both systems begin; what Debezium knew there, by variant."""

    server: MySqlServer
    offset: Mapping[str, Any]
    start: StartPoint
    schema_histories: Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    """What one variant gave."""

    variant: Variant
    debezium: list[Record]
    tailrace: list[Record]
    unexplained: list[Difference]
    known: Mapping[known.Known, int]


@dataclass
class Bench:
    """Servers with their histories, started when they are first asked for."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="tailrace-differential-")))
    _histories: dict[tuple[str, bool], History] = field(default_factory=dict)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for (_, late), history in self._histories.items():
            if not late:
                history.server.discard()
        shutil.rmtree(self.folder, ignore_errors=True)

    def history(self, server: str, *, late: bool = False) -> History:
        """The history on the server of that name; a late one begins when all tables are there."""
        if (server, late) not in self._histories:
            self._histories[server, late] = (
                _late_history(self.history(server).server, server, self.folder) if late else _history(server)
            )
        return self._histories[server, late]

    def outcome(self, variant: Variant) -> Outcome:
        """Read the variant's history with both systems and compare."""
        if variant.name not in self._outcomes:
            self._outcomes[variant.name] = self._compare(variant)
        return self._outcomes[variant.name]

    def from_debezium(self, variant: Variant, name: str = "debezium") -> list[Record]:
        """Debezium's records."""
        folder = self._folder(variant, name)
        history = self.history(variant.server, late=variant.late)
        (folder / "history.jsonl").write_text(history.schema_histories[variant.name], encoding="utf-8")
        properties, out = _properties(variant, history.server, folder), folder / "records.jsonl"
        debezium.run(properties, out, marker=variant.marker, offset=history.offset)
        return records.read(out)

    def from_tailrace(self, variant: Variant) -> list[Record]:
        """Our own."""
        history = self.history(variant.server, late=variant.late)
        properties = _properties(variant, history.server, self._folder(variant, "tailrace"))
        return [record for record in reading.read(properties, history.start, variant.marker) if _streamed(record)]

    def _compare(self, variant: Variant) -> Outcome:
        theirs, ours = self.from_debezium(variant), self.from_tailrace(variant)
        unexplained, counts = known.split(variant.name, compare(theirs, ours))
        return Outcome(variant, theirs, ours, unexplained, counts)

    def _folder(self, variant: Variant, name: str) -> Path:
        folder = self.folder / variant.name.replace(" ", "-").replace(",", "") / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _properties(variant: Variant, server: MySqlServer, folder: Path) -> dict[str, str]:
    return all_properties(variant, debezium.base_properties(server.port, PREFIX, folder), folder)


def _streamed(record: Record) -> bool:
    """Not one of the schema changes that describe what is there at the start; Debezium's own are not compared."""
    value = record.value or {}
    source = value.get("payload", value).get("source", {})
    return source.get("snapshot") not in {"true", "last", True}


def _history(name: str) -> History:
    server = MySqlServer(**FLAGS[name]).start()
    cases.run_all(server.port, cases.FIRST)
    offset = cases.binlog_position(server.port)
    start = _start_point(server)
    cases.play(server.port, HISTORY)
    first = debezium.first_history(PREFIX, offset)
    return History(server, offset, start, {variant.name: first for variant in (*VARIANTS, *HEARTBEATS) if not variant.late})


def _late_history(server: MySqlServer, name: str, folder: Path) -> History:
    late = [variant for variant in VARIANTS if variant.late and variant.server == name]
    known_then = {variant.name: _snapshot(variant, server, folder / variant.name) for variant in late}
    offset, start = cases.binlog_position(server.port), _start_point(server)
    cases.play(server.port, LATE)
    return History(server, offset, start, known_then)


def _snapshot(variant: Variant, server: MySqlServer, folder: Path) -> str:
    """The schema history that Debezium keeps of the tables that are there when it starts, with `no_data`."""
    folder.mkdir(parents=True, exist_ok=True)
    with _marking(server):
        debezium.run(_properties(variant, server, folder), folder / "snapshot.jsonl", marker=variant.marker)
    return (folder / "history.jsonl").read_text(encoding="utf-8")


@contextmanager
def _marking(server: MySqlServer) -> Iterator[None]:
    """Marker rows now and then: the first that Debezium streams tells that its snapshot is done."""
    done = threading.Event()

    def mark() -> None:
        while not done.wait(0.5):
            cases.run_all(server.port, cases.MARKER[-1:])

    thread = threading.Thread(target=mark)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _start_point(server: MySqlServer) -> StartPoint:
    return reading.start_point(debezium.base_properties(server.port, PREFIX, Path()))
