"""What is measured: a workload with a format and a chain of transforms.

Of each workload a small log is read as well, which shows what a start costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bench.into_kafka.logs import Data
from bench.into_kafka.plan import Case
from bench.measuring.observing import CountError
from bench.measuring.servers import Servers
from bench.measuring.turns import turns

from bench import chains, workloads

SECONDS_TO_START = 30  # estimates, of one run: start, the wait for a quiet machine, counting
RATES = {"tailrace": 150_000, "Debezium": 25_000}
SECONDS_TO_FILL = {"orders": 16, "outbox": 25}  # a million changes


@dataclass(frozen=True)
class ServersWithRegistry(Servers):
    """MySQL, the broker, and a schema registry with Confluent's API at the URL `registry`."""

    registry: str


@dataclass(frozen=True)
class FormatCase(Case):
    """A workload with a format and a chain of transforms; see `bench.chains`."""

    format: str = "json"
    chain: str = "none"

    @property
    def label(self) -> str:
        """For the table and for messages."""
        return f"{self.workload}, {self.format}, {self.chain}"

    def properties(self, servers: Servers, database: str, prefix: str) -> dict[str, str]:
        """The connector's properties, for both sides."""
        given = super().properties(servers, database, prefix)
        kept = {name: value for name, value in given.items() if ".converter" not in name}
        registry = servers.registry if isinstance(servers, ServersWithRegistry) else ""
        return kept | chains.converters(self.format, registry=registry) | chains.transforms(self.chain, prefix)


@dataclass(frozen=True)
class Delivered(Data):
    """What a chain of transforms makes of a workload's records.

    Attributes:
        chain: one of `bench.chains.CHAINS`.
        by_topic: the number of records by topic without its prefix, the marker's left out.
        last: the topic of the marker without its prefix.

    """

    chain: str = "none"
    by_topic: Mapping[str, int] = field(default_factory=dict)
    last: str = ""

    def topics(self, prefix: str) -> list[str]:
        """The topics of the changes."""
        return [f"{prefix}.{name}" for name in self.by_topic]

    def marker(self, prefix: str) -> str:
        """The topic of the marker."""
        return f"{prefix}.{self.last}"

    def check(self, found: Mapping[str, int], prefix: str) -> None:
        """Raise `CountError` if these are not the numbers of records, by topic, that the chain makes of the workload."""
        expected = {f"{prefix}.{name}": count for name, count in {**self.by_topic, self.last: 1}.items()}
        if dict(found) != expected:
            raise CountError(f"there are so many records by topic in Kafka: {dict(found)}, and not {expected}")


def delivered(data: Data, case: FormatCase) -> Delivered:
    """What a case makes of the records of its log."""
    of_log = {"before": data.before, "tables": data.tables, "records": data.records, "partitions": data.partitions}
    counts, place = workloads.counted(case.workload, case.changes), f"{data.database}."
    if case.chain in {"none", "unwrap"}:
        records = data.records if case.chain == "none" else counts["changes"]  # without tombstones
        of_tables = {table: records for table in data.tables if table == case.workload}
        shown = place if case.chain == "none" else ""
        by_topic = {f"{shown}{table}": count for table, count in of_tables.items()}
        last = f"{shown}marker" if case.workload != "outbox" else ""
    else:
        by_topic, last = workloads.outbox_events(case.changes), workloads.OUTBOX_MARKER
    return Delivered(database=data.database, chain=case.chain, by_topic=by_topic, last=last, **of_log)


def cases(changes: int, rounds: int) -> list[FormatCase]:
    """All cases, grouped by their log."""
    ways = (
        ("orders", "json", "none"),
        ("orders", "avro", "none"),
        ("orders", "json", "unwrap"),
        ("orders", "avro", "unwrap"),
        ("outbox", "json", "outbox"),
        ("outbox", "json", "expanded"),
        ("outbox", "avro", "expanded"),
    )
    return [
        FormatCase(workload, "MINIMAL", "lz4", "off", changes, rounds, format_, chain) for workload, format_, chain in ways
    ]


def seconds_for_all(chosen: list[FormatCase]) -> float:
    """The estimated seconds of everything."""
    logs = {case.workload: case.changes for case in chosen}
    fill = sum(SECONDS_TO_FILL[workload] * changes / 1e6 for workload, changes in logs.items())
    return 60 + fill + sum(SECONDS_TO_START + case.changes / RATES[side] for case in chosen for _, side in turns(case))
