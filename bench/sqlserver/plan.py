"""What is measured: catching up with the log, and a snapshot, with and without schemas; and an idle server."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CATCH_UP, SNAPSHOT = "catch-up", "snapshot"
TRANSACTION = 1_000  # rows
CHANGES_QUICK, CHANGES = 100_000, 1_000_000
ROWS_QUICK, ROWS = 100_000, 6_000_000  # enough that the wait for the capture job is a small part of the time
POLLING, EAGER = 5, 0  # polling interval of the capture job in seconds: SQL Server's default, and none
INSTANCES_QUICK, INSTANCES = 100, 1_000


@dataclass(frozen=True)
class Case:
    """What is read, with settings.

    Attributes:
        task: catching up with the log, or a snapshot of the table.
        changes: the number of changes in the log, or of rows in the table.
        polling: interval of the capture job, in seconds; it matters only for snapshots of tailrace.

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
        """The task and size of its data; cases with equal ones share the data."""
        return self.task, self.changes

    @property
    def is_ours_alone(self) -> bool:
        """Whether its polling interval matters, which it does for tailrace only; then Debezium is not measured."""
        return self.polling != POLLING

    @property
    def is_main(self) -> bool:
        """Whether this is a case that the project makes promises about."""
        return (self.compression, self.schemas, self.polling) == ("lz4", "off", POLLING)

    def key(self) -> dict[str, Any]:
        """The key of its results."""
        fields = asdict(self)
        del fields["rounds"]
        return fields


def cases(changes: int, rows: int, *, rounds: int, main_rounds: int, quick: bool, schemas: bool) -> list[Case]:
    """All cases, grouped by their data. `quick`: the main ones only. `schemas`: also those with schemas."""
    counts = {CATCH_UP: changes, SNAPSHOT: rows}
    main = [Case(task, "lz4", "off", count, main_rounds) for task, count in counts.items()]
    others = [Case(task, "lz4", "on", count, rounds) for task, count in counts.items()]
    polled = Case(SNAPSHOT, "lz4", "off", rows, main_rounds, EAGER)
    return sorted([*main, *(others if schemas else []), *([] if quick else [polled])], key=lambda case: case.task)
