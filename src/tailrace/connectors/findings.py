"""What a look at a server found: `tailrace check` prints it, and a start refuses where something makes it impossible."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHOWN: Final = 10


class Level(enum.Enum):
    """How much a finding matters."""

    ERROR = "error"
    WARNING = "warning"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that mends something, in one of the server's databases; it takes nothing away from anybody."""

    database: str
    sql: str

    def __str__(self) -> str:
        name = self.database.replace("]", "]]")
        return f"USE [{name}]; {self.sql}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: how much it matters.
        what: what it is, in one sentence.
        mend: what to do, in words or as SQL; without it the statements say so.
        statements: what `tailrace check --apply` runs.

    """

    level: Level
    what: str
    mend: str = ""
    statements: tuple[Statement, ...] = ()

    def __str__(self) -> str:
        told = (self.mend, *map(str, self.statements))
        return ": ".join(filter(None, (self.what, "; ".join(filter(None, told)))))


def listed(names: Sequence[object]) -> str:
    """The first names of many, and how many more there are."""
    shown = ", ".join(map(str, names[:SHOWN]))
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


@dataclass(frozen=True, slots=True)
class Applied:
    """A statement that was run, and what was wrong with it."""

    statement: Statement
    error: str | None = None
