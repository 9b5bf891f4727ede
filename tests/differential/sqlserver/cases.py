"""The SQL that both systems live through: the files of `cases/`.

A file is T-SQL in batches that end with GO, and lines that begin with `---`:

| line | what |
| --- | --- |
| `--- then: WHY` | what stood above is captured, and the connector has read it; before the first, it has not begun |
| `--- capture T, S.T AS INSTANCE, T(COLUMN, COLUMN)` | capture instances of these tables, dbo's where no schema stands |
| `--- in DATABASE` | what follows is run there; a stage begins in the first database |
| `--- stop`, `--- start` | the connector ends in good order; it begins again |
| `--- resume` | from now on the capture jobs read the log by themselves: its numbers are no longer the same each time |
| `--- incremental N` | the connector has told so many rows of incremental snapshots |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("cases")
FIRST = "d1"
_GO = re.compile(r"^GO\s*$", re.MULTILINE)
_COMMENTS = re.compile(r"^-- .*\n", re.MULTILINE)
_TABLE = re.compile(
    r"(?:(?P<schema>\[[^]]+\]|\w+)\.)?(?P<table>\[[^]]+\]|\w+)(?:\s*\((?P<columns>[^)]*)\))?(?:\s+AS\s+(?P<instance>\w+))?"
)


@dataclass(frozen=True)
class Step:
    """A batch (`sql`), `capture` and its tables, or another line's word; and where it is run."""

    kind: str
    text: str
    database: str


@dataclass(frozen=True)
class Capturing:
    """A capture instance that is to be made."""

    schema: str
    table: str
    columns: str | None
    instance: str | None


def stages(case: str) -> list[list[Step]]:
    """A file's steps; of the first stage the connector finds the outcome."""
    text = _COMMENTS.sub("", (FOLDER / f"{case}.sql").read_text(encoding="utf-8"))
    return [list(_steps(part)) for part in re.split(r"^--- then\b.*\n", text, flags=re.MULTILINE)]


def databases(case: str) -> list[str]:
    """Where it is played."""
    return [FIRST, *sorted({step.database for stage in stages(case) for step in stage} - {FIRST})]


def capturings(text: str) -> list[Capturing]:
    """What a line asks to be captured."""
    return [
        Capturing(_name(found["schema"] or "dbo"), _name(found["table"]), found["columns"], found["instance"])
        for found in _TABLE.finditer(text)
    ]


def _steps(text: str) -> Iterator[Step]:
    database = FIRST
    for part in re.split(r"^(---.*)\n", text, flags=re.MULTILINE):
        if not part.startswith("---"):
            yield from (Step("sql", batch.strip(), database) for batch in _GO.split(part) if batch.strip())
            continue
        word, _, rest = part.removeprefix("---").strip().partition(" ")
        if word == "in":
            database = rest
        else:
            yield Step(word, rest, database)


def _name(text: str) -> str:
    return text.removeprefix("[").removesuffix("]")
