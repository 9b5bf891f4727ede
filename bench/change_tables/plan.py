"""What is measured: catching up with the log, and a snapshot, with and without schemas; and an idle server."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CATCH_UP, SNAPSHOT = "catch-up", "snapshot"
TRANSACTION = 1_000  # rows


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        changes: of catching up.
        rows: of a snapshot.
        instances: captured tables of the idle server.
        polling: interval of what captures, in seconds, during snapshots.
        other_polling: another one, with which tailrace's snapshot is measured as well.

    """

    changes: int
    rows: int
    instances: int
    polling: int
    other_polling: int

    def quick(self) -> Sizes:
        """Small sizes."""
        return Sizes(CHANGES_QUICK, ROWS_QUICK, INSTANCES_QUICK, self.polling, self.other_polling)


CHANGES_QUICK, ROWS_QUICK, INSTANCES_QUICK = 100_000, 100_000, 100


@dataclass(frozen=True)
class Case:
    """What is read, with settings.

    Attributes:
        task: catching up with the log, or a snapshot of the table.
        changes: the number of changes in the log, or of rows in the table.
        polling: interval of what captures, in seconds; it matters only for snapshots of tailrace.
        is_ours_alone: whether only tailrace is measured, as its polling interval is not the usual one.

    """

    task: str
    compression: str
    schemas: str  # on, off
    changes: int
    rounds: int
    polling: int
    is_ours_alone: bool = False

    @property
    def label(self) -> str:
        """For the table and for messages."""
        polled = f", polled every {self.polling} s" if self.is_ours_alone else ""
        return f"{self.task}, {self.compression}, schemas {self.schemas}{polled}"

    @property
    def data(self) -> tuple[str, int]:
        """The task and size of its data; cases with equal ones share the data."""
        return self.task, self.changes

    @property
    def is_main(self) -> bool:
        """Whether this is a case that the project makes promises about."""
        return (self.compression, self.schemas) == ("lz4", "off") and not self.is_ours_alone

    def key(self) -> dict[str, Any]:
        """The key of its results."""
        fields = asdict(self)
        del fields["rounds"], fields["is_ours_alone"]
        return fields

    def key_of_both(self) -> dict[str, Any]:
        """The key without the polling interval, which does not matter for Debezium."""
        fields = self.key()
        del fields["polling"]
        return fields


def cases(sizes: Sizes, *, rounds: int, main_rounds: int, quick: bool, schemas: bool) -> list[Case]:
    """All cases, grouped by their data. `quick`: the main ones only. `schemas`: also those with schemas."""
    counts = {CATCH_UP: sizes.changes, SNAPSHOT: sizes.rows}
    main = [Case(task, "lz4", "off", count, main_rounds, sizes.polling) for task, count in counts.items()]
    others = [Case(task, "lz4", "on", count, rounds, sizes.polling) for task, count in counts.items()]
    polled = Case(SNAPSHOT, "lz4", "off", sizes.rows, main_rounds, sizes.other_polling, is_ours_alone=True)
    return sorted([*main, *(others if schemas else []), *([] if quick else [polled])], key=lambda case: case.task)
