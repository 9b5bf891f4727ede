"""What is measured, in which order, and estimates of the time.

A *case* is a workload with the settings with which both sides read it. The *main case* is the one that the project makes
promises about.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bench.measuring import connectors
from bench.measuring.servers import Servers
from bench.measuring.turns import turns

START_SECONDS = 25  # estimate for a run: start of a side, the wait for a quiet machine, counting
SECONDS_TO_FILL = {"orders": 16, "wide": 60, "stock": 25, "many": 45}  # a million changes
RATES = {
    "tailrace": {"orders": 330_000, "wide": 60_000, "stock": 400_000, "many": 150_000},
    "Debezium": {"orders": 33_000, "wide": 8_000, "stock": 40_000, "many": 30_000},
}
BYTES = {"off": 750, "on": 4_200}  # of a record, uncompressed
LATENCY_SECONDS = 150


@dataclass(frozen=True)
class Case:
    """A workload with settings."""

    workload: str
    metadata: str  # binlog_row_metadata
    compression: str
    schemas: str  # on, off
    changes: int
    rounds: int

    @property
    def data(self) -> tuple[str, str]:
        """The workload and metadata of its log; cases with equal ones share a log."""
        return self.workload, self.metadata

    @property
    def label(self) -> str:
        """For the table and for messages."""
        return f"{self.workload}, {self.compression}, schemas {self.schemas}, {self.metadata}"

    @property
    def is_main(self) -> bool:
        """Whether this is the main case."""
        return (self.workload, self.metadata, self.compression, self.schemas) == ("orders", "MINIMAL", "lz4", "off")

    def properties(self, servers: Servers, database: str, prefix: str) -> dict[str, str]:
        """The connector's properties, for both sides."""
        return connectors.properties(servers, database, prefix, compression=self.compression, schemas=self.schemas == "on")

    def key(self) -> dict[str, Any]:
        """The key of its results."""
        fields = asdict(self)
        del fields["rounds"]
        return fields


def cases(changes: int, *, rounds: int, main_rounds: int, quick: bool) -> list[Case]:
    """All cases, grouped by their log. `quick`: the main case only."""
    main = Case("orders", "MINIMAL", "lz4", "off", changes, main_rounds)
    if quick:
        return [main]
    grid = [
        Case("orders", metadata, compression, schemas, changes, rounds)
        for metadata in ("MINIMAL", "FULL")
        for schemas in ("off", "on")
        for compression in ("lz4", "none")
    ]
    wide = Case("wide", "MINIMAL", "lz4", "off", changes // 10, rounds)
    others = [Case(workload, "MINIMAL", "lz4", "off", changes, rounds) for workload in ("stock", "many")]
    return [main if case.is_main else case for case in grid] + [wide, *others]


def seconds_for(case: Case, side: str) -> float:
    """The estimated seconds of one run."""
    slower = (1.5 if case.schemas == "on" else 1) * (1.4 if case.compression == "none" else 1)
    counting = case.changes / (60_000 if (case.schemas, case.compression) == ("on", "none") else 400_000)
    return START_SECONDS + counting + case.changes / RATES[side][case.workload] * slower


def seconds_for_all(chosen: list[Case], *, latency: bool) -> float:
    """The estimated seconds of everything."""
    data = {case.data: case.changes for case in chosen}
    fill = sum(SECONDS_TO_FILL[workload] * changes / 1e6 for (workload, _), changes in data.items())
    runs = sum(seconds_for(case, side) for case in chosen for _, side in turns(case))
    return 30 + fill + runs + (3 * LATENCY_SECONDS if latency else 0)


def bytes_for(chosen: list[Case]) -> int:
    """The estimated disk space that the broker needs for the largest run."""
    return max(case.changes * BYTES[case.schemas] for case in chosen) * 12 // 10 if chosen else 0
