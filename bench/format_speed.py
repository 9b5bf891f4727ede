"""Measures what formats and transforms cost: events of MySQL's log become records in each way, in one process, without a sink.

    python bench/format_speed.py [--changes 200000] [--readings 3] [--profile LABEL]

Starts its own MySQL, writes three workloads and reads the log of each. Every event is made into records by one configuration
after the other, while its columns are there, and each has its own clock of CPU time. The first reading warms up: layouts are
compiled then, and numba's code comes from its cache. Rates are changes a second of one core, without decoding; values are those
of the rows' columns, so many in `before` and `after` together. A registry in this process answers for Avro.
--profile shows where a configuration's time goes in Python.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "src")]

from chains import converters, transforms  # noqa: E402
from run import properties  # noqa: E402
from tests.support.fake_registry import FakeRegistry  # noqa: E402
from workloads import counted, create, fill  # noqa: E402

from tailrace.changes.envelopes import images_of  # noqa: E402
from tailrace.connectors import connector_for  # noqa: E402
from tailrace.connectors.base import LogRange, Progress  # noqa: E402
from tailrace.connectors.load import from_mapping  # noqa: E402
from tailrace.events.event import Event  # noqa: E402
from tailrace.events.pipeline import RecordPipeline, pipeline_of  # noqa: E402
from tailrace_standins.servers.mysql_server import MySqlServer  # noqa: E402

WAYS = {
    "orders": (
        ("JSON", "json", "none"),
        ("JSON with schemas", "schemas", "none"),
        ("Avro", "avro", "none"),
        ("JSON, unwrap + route", "json", "unwrap"),
        ("Avro, unwrap + route", "avro", "unwrap"),
    ),
    "many": (
        ("JSON", "json", "none"),
        ("Avro", "avro", "none"),
        ("JSON, unwrap + route", "json", "unwrap"),
        ("Avro, unwrap + route", "avro", "unwrap"),
    ),
    "outbox": (
        ("JSON", "json", "none"),
        ("JSON, outbox", "json", "outbox"),
        ("Avro, outbox", "avro", "outbox"),
        ("JSON, outbox expanded", "json", "expanded"),
        ("Avro, outbox expanded", "avro", "expanded"),
    ),
}


@dataclass(slots=True)
class Way:
    """One configuration, and what it has made so far."""

    label: str
    pipeline: RecordPipeline
    profile: cProfile.Profile | None = None
    seconds: float = 0.0
    records: int = 0
    bytes: int = 0

    def take(self, event: Event) -> None:
        """Make records of an event."""
        if self.profile is not None:
            self.profile.enable()
        begun = time.process_time()
        made = self.pipeline.made_of(event.source_records())
        self.seconds += time.process_time() - begun
        if self.profile is not None:
            self.profile.disable()
        self.records += sum(map(len, made))
        self.bytes += sum(each.keys.size + each.values.size for each in made)

    def begin(self) -> None:
        """Forget what was measured."""
        self.seconds, self.records, self.bytes = 0.0, 0, 0


@dataclass(slots=True)
class Measuring:
    """The `Events` of a batch, each of which every way takes at once; `values` counts those of the rows."""

    ways: list[Way]
    values: int = 0
    count: int = field(default=0)

    def append(self, event: Event, /) -> int:
        """Give it to all ways."""
        self.count += 1
        self.values += row_values(event)
        for way in self.ways:
            way.take(event)
        return 1

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Event]:
        return iter(())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=200_000, help="of each workload [200000]")
    parser.add_argument("--readings", type=int, default=3, help="of the log, besides the first [3]")
    parser.add_argument("--workloads", default=",".join(WAYS))
    parser.add_argument("--profile", default="", metavar="LABEL", help="show where the time of this way goes")
    args = parser.parse_args()
    print(
        "| workload | format, transforms | changes/s | of JSON's | values/s | records | bytes a record |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    )
    with MySqlServer() as server, FakeRegistry() as registry:
        for name in args.workloads.split(","):
            measure(server, registry.url, name, args)


def measure(server: MySqlServer, registry: str, name: str, args: argparse.Namespace) -> None:
    """Measure all ways of a workload and print their rows."""
    database = f"bench_formats_{name}"
    given = properties(server, database, schemas=False)
    del given["tombstones.on.delete"]
    first = connector_for(from_mapping(given))
    server.sql(f"CREATE DATABASE {database}")
    with server.connect(database) as connection:
        create(connection, name)
        point = first.start_point()
        fill(connection, name, args.changes)
        until = first.head()
    changes = counted(name, args.changes)["changes"]
    ways = [new_way(given, registry, each, args.profile) for each in WAYS[name]]
    shown: dict[str, float] = {}
    for _ in range(args.readings + 1):
        values = read(first, point, until, ways)
        for way in ways:  # the fastest reading: other programs can only slow it down
            shown[way.label] = min(shown.get(way.label, 1e9), way.seconds)
    for way in ways:
        print(row(name, way, shown[way.label], shown["JSON"], changes, values), flush=True)
    for way in ways:
        if way.profile is not None:
            pstats.Stats(way.profile).sort_stats("tottime").print_stats(45)


def new_way(given: dict[str, str], registry: str, way: tuple[str, str, str], profiled: str) -> Way:
    """The pipeline of a configuration."""
    label, format_, chain = way
    kind = "avro" if format_ == "avro" else "json"
    settings = converters(kind, schemas=format_ == "schemas", registry=registry) | transforms(chain, given["topic.prefix"])
    profile = cProfile.Profile() if label == profiled else None
    kept = {name: value for name, value in given.items() if ".converter" not in name}
    return Way(label, pipeline_of(from_mapping(kept | settings)), profile)


def read(connector: Any, point: Any, until: Any, ways: list[Way]) -> int:
    """Read the log once; returns the number of values in its rows."""
    for way in ways:
        way.begin()
    values = 0
    progress = Progress("", point.restart)
    for batch in connector.read(LogRange(point.restart, until), progress, point.history, lambda: Measuring(ways)):
        values += batch.events.values
    return values


def row_values(event: Event) -> int:
    """The values of an event's rows, old and new."""
    records = event.source_records()
    root: Any = records.value.root
    images = images_of(records)
    return int(images.before.sum() + images.after.sum()) * len(root.field("after").schema.fields)


def row(name: str, way: Way, seconds: float, json: float, changes: int, values: int) -> str:
    """A row of the table."""
    rates = f"{changes / seconds:,.0f} | {json / seconds:.2f} | {values / seconds:,.0f}"
    return f"| {name} | {way.label} | {rates} | {way.records:,} | {way.bytes / max(1, way.records):.0f} |"


if __name__ == "__main__":
    main()
