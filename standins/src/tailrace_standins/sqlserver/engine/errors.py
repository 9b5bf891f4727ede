"""The engine's errors, which are SQL Server's: `messages.tsv` has the number, severity and text of each.

Source: "Database Engine events and errors",
https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tailrace_standins.sqlserver.session import SqlError

UNSUPPORTED: Final = 50900  # not a number of SQL Server: a feature that the stand-in does not support


def _texts(path: Path) -> dict[int, tuple[int, str]]:
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {int(number): (int(severity), text) for number, severity, text in lines}


TEXTS: Final = _texts(Path(__file__).with_name("messages.tsv"))
"""Severity and text by number; `{0}`, `{1}`… are filled in."""


def error(number: int, *values: object, state: int = 1, line: int = 1) -> SqlError:
    """The error of that number with its placeholders filled in."""
    severity, text = TEXTS[number]
    return SqlError(number, text.format(*values), severity=severity, state=state, line=line)


def unsupported(what: str) -> SqlError:
    """The error for a feature of SQL Server that the stand-in does not support; `what` names it."""
    return SqlError(UNSUPPORTED, f"The stand-in does not support {what}.")
