"""What is measured: catching up with the log, and taking a snapshot, with schemas and without; and a server that stands idle."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CATCH_UP, SNAPSHOT = "catch-up", "snapshot"
TRANSACTION = 1_000  # rows
CHANGES_QUICK, CHANGES = 100_000, 1_000_000
ROWS_QUICK, ROWS = 100_000, 6_000_000  # so many that waiting for the capture job is not most of it
POLLING, EAGER = 5, 0  # seconds between two scans of the capture job: SQL Server's own default, and without a pause
INSTANCES_QUICK, INSTANCES = 100, 1_000


@dataclass(frozen=True)
class Case:
    """What is read under certain settings.

    Attributes:
        task: catching up with the changes of the log, or a snapshot of the table's rows.
        changes: how many changes the log has, or how many rows the table.
        polling: of the capture job, in seconds; only a snapshot depends on it, and only tailrace's.

    """

    task: str
    compression: str
    schemas: str  # on, off
    changes: int
    rounds: int
    polling: int = POLLING

    @property
    def label(self) -> str:
        """For the table and for messages."""
        polled = "" if self.polling == POLLING else f", polled every {self.polling} s"
        return f"{self.task}, {self.compression}, schemas {self.schemas}{polled}"

    @property
    def data(self) -> tuple[str, int]:
        """Which table it is read from."""
        return self.task, self.changes

    @property
    def is_ours_alone(self) -> bool:
        """Whether it makes a difference for tailrace alone."""
        return self.polling != POLLING

    @property
    def is_main(self) -> bool:
        """Whether this is a case that the project's promises are about."""
        return (self.compression, self.schemas, self.polling) == ("lz4", "off", POLLING)

    def key(self) -> dict[str, Any]:
        """What tells its results from those of others."""
        fields = asdict(self)
        del fields["rounds"]
        return fields


def cases(changes: int, rows: int, *, rounds: int, main_rounds: int, quick: bool, schemas: bool) -> list[Case]:
    """All cases, those of the same data together; quick: the main ones alone; with `schemas` those that have them too."""
    counts = {CATCH_UP: changes, SNAPSHOT: rows}
    main = [Case(task, "lz4", "off", count, main_rounds) for task, count in counts.items()]
    others = [Case(task, "lz4", "on", count, rounds) for task, count in counts.items()]
    polled = Case(SNAPSHOT, "lz4", "off", rows, main_rounds, EAGER)
    return sorted([*main, *(others if schemas else []), *([] if quick else [polled])], key=lambda case: case.task)
