"""What is measured: catching up with the log, and taking a snapshot, with schemas and without."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CATCH_UP, SNAPSHOT = "catch-up", "snapshot"
TRANSACTION = 1_000  # rows
CHANGES_QUICK, CHANGES = 100_000, 2_000_000


@dataclass(frozen=True)
class Case:
    """What is read under certain settings.

    Attributes:
        task: catching up with the changes of the log, or a snapshot of the table's rows.
        changes: how many changes the log has, or how many rows the table.

    """

    task: str
    compression: str
    schemas: str  # on, off
    changes: int
    rounds: int

    @property
    def label(self) -> str:
        """For the table and for messages."""
        return f"{self.task}, {self.compression}, schemas {self.schemas}"

    @property
    def is_main(self) -> bool:
        """Whether this is a case that the project's promises are about."""
        return (self.compression, self.schemas) == ("lz4", "off")

    def key(self) -> dict[str, Any]:
        """What tells its results from those of others."""
        fields = asdict(self)
        del fields["rounds"]
        return fields


def cases(changes: int, *, rounds: int, main_rounds: int, quick: bool) -> list[Case]:
    """All cases, those of a task together; quick: the main ones alone."""
    grid = [Case(task, "lz4", schemas, changes, rounds) for task in (CATCH_UP, SNAPSHOT) for schemas in ("off", "on")]
    main = [Case(case.task, "lz4", "off", changes, main_rounds) for case in grid if case.is_main]
    others = [] if quick else [case for case in grid if not case.is_main]
    return sorted((*main, *others), key=lambda case: case.task)
