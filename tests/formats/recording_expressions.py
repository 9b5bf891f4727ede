"""`python -m tests.formats.recording_expressions`: records what real Groovy and GraalJS make of expressions.

Each line of `tests/transforms/expressions/data/<language>.jsonl` is an expression and its outcome for each of
`support.expression_rows.LINES`: T and F for what a filter keeps and drops, ! for what fails. New ones are added by hand, with an
empty outcome; this fills them all in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from tests.formats.connect_parts import ConnectParts, Failure, Outcome, Transform

from support.expression_rows import LINES
from tailrace_standins.servers.connect_jars import connect_jars
from tailrace_standins.servers.debezium_server_jars import SCRIPTING, debezium_server_jars

DATA: Final = Path(__file__).parents[1] / "transforms" / "expressions" / "data"
LANGUAGES: Final = ("jsr223.groovy", "jsr223.graal.js")


def main() -> None:
    """Record both languages."""
    with ConnectParts(list(chain(connect_jars(), debezium_server_jars(SCRIPTING)))) as parts:
        for language in LANGUAGES:
            texts = [text for text, _ in recorded(language)]
            path = DATA / f"{language}.jsonl"
            lines = [json.dumps([text, real_outcomes(parts, language, text)], ensure_ascii=False) for text in texts]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def recorded(language: str) -> Iterator[tuple[str, str]]:
    """The expressions of a language with their outcomes."""
    for line in (DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        text, outcomes = json.loads(line)
        yield text, outcomes


def real_outcomes(parts: ConnectParts, language: str, condition: str) -> str:
    """The outcomes of a condition."""
    options = {"language": language, "condition": condition, "null.handling.mode": "evaluate"}
    return shown(parts.run(LINES, [Transform("io.debezium.transforms.Filter", options)]))


def shown(outcomes: Sequence[Outcome]) -> str:
    """Outcomes as letters."""
    return "".join("!" if isinstance(each, Failure) else "T" if each else "F" for each in outcomes)


if __name__ == "__main__":
    main()
