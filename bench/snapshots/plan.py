"""What is measured, and estimates of the time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bench.measuring.turns import turns

START_SECONDS = 30  # estimate for a run: start of a side, the wait for a quiet machine
ROWS_A_SECOND = {"tailrace": 200_000, "Debezium": 40_000}
FILLED_A_SECOND = 60_000
COUNTED_A_SECOND = 250_000
REPLAYED_A_SECOND = 120_000
BYTES = {"off": 800, "on": 4_500}  # of a record, uncompressed
SECONDS_BESIDE_STREAM = 240  # estimate for each setup and rate
WIDE_SHARE = 20  # the wide table has a twentieth of the rows


@dataclass(frozen=True)
class Case:
    """A snapshot of both tables with settings.

    Attributes:
        threads: `snapshot.max.threads`; "default": the property is not set.
        rows: of the table `orders`; `wide` has a twentieth of them.

    """

    threads: str
    compression: str
    schemas: str  # on, off
    rows: int
    rounds: int

    @property
    def tables(self) -> dict[str, int]:
        """The rows of each table."""
        return {"orders": self.rows, "wide": self.rows // WIDE_SHARE}

    @property
    def label(self) -> str:
        """For messages."""
        return f"threads {self.threads}, {self.compression}, schemas {self.schemas}"

    @property
    def is_main(self) -> bool:
        """Whether this is the case that the project makes promises about."""
        return (self.threads, self.compression, self.schemas) == ("default", "lz4", "off")

    def key(self) -> dict[str, Any]:
        """The key of its results."""
        fields = asdict(self)
        del fields["rounds"]
        return fields


def cases(rows: int, *, rounds: int, main_rounds: int, quick: bool) -> list[Case]:
    """All cases. `quick`: the main case only."""
    main = Case("default", "lz4", "off", rows, main_rounds)
    if quick:
        return [main]
    others = ("1", "off"), ("2", "off"), ("default", "on")
    return [main, *(Case(threads, "lz4", schemas, rows, rounds) for threads, schemas in others)]


def seconds_for(case: Case, side: str) -> float:
    """The estimated seconds of one run."""
    rows = sum(case.tables.values())
    slower = 2 if case.schemas == "on" else 1
    return START_SECONDS + rows / ROWS_A_SECOND[side] * slower + rows / COUNTED_A_SECOND * slower


def seconds_for_all(chosen: list[Case], changes_rows: int, setups: int) -> float:
    """The estimated seconds of everything: the cases, a changing table of `changes_rows`, `setups` runs during streaming."""
    fill = max((sum(case.tables.values()) for case in chosen), default=0) / FILLED_A_SECOND
    runs = sum(seconds_for(case, side) for case in chosen for _, side in turns(case))
    under_changes = changes_rows * (1 / FILLED_A_SECOND + 1 / ROWS_A_SECOND["tailrace"] + 1 / REPLAYED_A_SECOND)
    return (
        30 + fill + runs + under_changes + (2 * START_SECONDS if changes_rows else 0) + setups * SECONDS_BESIDE_STREAM
    )


def bytes_for(chosen: list[Case], changes_rows: int, beside_rows: int) -> int:
    """The estimated disk space that the servers need for the largest run."""
    largest = max((sum(case.tables.values()) * BYTES[case.schemas] for case in chosen), default=0)
    return max(largest, changes_rows * 600, beside_rows * 600) * 12 // 10
