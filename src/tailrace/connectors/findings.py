"""The findings of a check: `tailrace check` prints them, and a start stops at one that makes it impossible."""

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
    """A statement that fixes a finding, in one of the server's databases. It never removes anything."""

    database: str
    sql: str

    def __str__(self) -> str:
        name = self.database.replace("]", "]]")
        return f"USE [{name}]; {self.sql}"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        level: how serious it is.
        what: the result, in one sentence.
        mend: what to do, as text or SQL; may be empty if there are statements.
        statements: for `tailrace check --apply`.

    """

    level: Level
    what: str
    mend: str = ""
    statements: tuple[Statement, ...] = ()

    def __str__(self) -> str:
        told = (self.mend, *map(str, self.statements))
        return ": ".join(filter(None, (self.what, "; ".join(filter(None, told)))))


def listed(names: Sequence[object]) -> str:
    """The first names of a list, and the number of the others."""
    shown = ", ".join(map(str, names[:SHOWN]))
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


@dataclass(frozen=True, slots=True)
class Applied:
    """A statement that was run, and its error, if it failed."""

    statement: Statement
    error: str | None = None
