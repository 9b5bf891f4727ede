"""The SQL that both systems live through: the files of `cases/`.

A file is Db2's SQL, each statement ended by a semicolon at the end of a line and committed by itself, and lines that begin with
`---`:

| line | what |
| --- | --- |
| `--- then: WHY` | what stood above is captured, and the connector has read it; before the first, it has not begun |
| `--- transaction` | the statements up to `COMMIT;` or `ROLLBACK;` are one transaction |
| `--- register T, S.T, "t"` | these tables are registered (ASNCDC.ADDTABLE) and active; DB2INST1's where no schema stands |
| `--- capture` | what stood above is captured, and the connector may read it or not |
| `--- stop`, `--- start` | the connector ends in good order, behind all that stood above; it begins again |
| `--- held N` | the connector, which began with the last `--- start`, has told so many records since and is stopped before the next |
| `--- resume` | from now on asncap works by itself: log sequence numbers are no longer the same each time |
| `--- incremental N` | the connector has told so many rows of incremental snapshots |
| `--- told N` | the connector has told so many rows of snapshots |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("cases")
OWNER = "DB2INST1"
_COMMENTS = re.compile(r"^-- .*\n", re.MULTILINE)
_TABLE = re.compile(r'(?:(?P<schema>"[^"]+"|\w+)\.)?(?P<table>"(?:[^"]|"")+"|\w+)')


@dataclass(frozen=True)
class Step:
    """The statements of a transaction (`sql`), or another line's word and what stands behind it."""

    kind: str
    text: str = ""
    statements: tuple[str, ...] = ()


def stages(case: str) -> list[list[Step]]:
    """A file's steps; of the first stage the connector finds the outcome."""
    text = _COMMENTS.sub("", (FOLDER / f"{case}.sql").read_text(encoding="utf-8"))
    return [list(_steps(part)) for part in re.split(r"^--- then\b.*\n", text, flags=re.MULTILINE)]


def registrations(text: str) -> list[tuple[str, str]]:
    """Owners and names of the tables that a line asks to be registered."""
    return [(_name(found["schema"] or OWNER), _name(found["table"])) for found in _TABLE.finditer(text)]


def _steps(text: str) -> Iterator[Step]:
    together = False
    for part in re.split(r"^(---.*)\n", text, flags=re.MULTILINE):
        if not part.startswith("---"):
            yield from _transactions(_statements(part), together=together)
            together = False
            continue
        word, _, rest = part.removeprefix("---").strip().partition(" ")
        if word == "transaction":
            together = True
        else:
            yield Step(word, rest)


def _statements(text: str) -> list[str]:
    return [each.strip() for each in re.split(r";\s*(?:\n|$)", text) if each.strip()]


def _transactions(statements: list[str], *, together: bool) -> Iterator[Step]:
    """Up to the end of the transaction the statements are of one; what follows, each of its own."""
    if together:
        end = next(place for place, each in enumerate(statements) if each in {"COMMIT", "ROLLBACK"})
        yield Step("sql", statements=tuple(statements[: end + 1]))
        statements = statements[end + 1 :]
    yield from (Step("sql", statements=(each,)) for each in statements)


def _name(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.upper()
