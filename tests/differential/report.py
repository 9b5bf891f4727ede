"""`python -m tests.differential.report [FILE]`: run every comparison and write the table of `docs/reference/differential.md`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.differential import jars
from tests.differential.compare import MASKED
from tests.differential.runs import Bench, Outcome
from tests.differential.variants import VARIANTS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "differential.md"
HEAD = f"""# Compared with Debezium

Debezium {jars.DEBEZIUM} and tailrace read the same log of the same MySQL server with the same properties; their
records are compared topic by topic, in order: key, value, schemas and headers. This page is written by
`python -m tests.differential.report`; the SQL is in `tests/differential/cases/`, the settings in
`tests/differential/variants.py`.

A *known* difference is one that [differences.md](differences.md) explains; *other* ones are defects.
"""


def main(target: Path = PAGE) -> int:
    """Write the page; the number of differences that nothing explains."""
    with Bench() as bench:
        outcomes = [bench.outcome(variant) for variant in VARIANTS]
        version = bench.history(VARIANTS[0].server).server.variable("version")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(outcomes, str(version)), encoding="utf-8")
    return sum(len(outcome.unexplained) for outcome in outcomes)


def page(outcomes: Iterable[Outcome], server: str) -> str:
    """The page in markdown."""
    done = list(outcomes)
    total = sum(len(outcome.debezium) for outcome in done)
    parts = [HEAD, f"MySQL {server}; {total} records of {len(done)} variants.\n"]
    parts += ["## Variants\n", "\n".join(_variants(done)), ""]
    parts += ["## Cases (databases), over all variants\n", "\n".join(_cases(done)), ""]
    parts += ["## What is masked\n", "\n".join(_masks()), ""]
    return "\n".join(parts)


def _variants(outcomes: list[Outcome]) -> Iterator[str]:
    yield "| variant | log | records | topics | known | other |\n| --- | --- | ---: | ---: | ---: | ---: |"
    for outcome in outcomes:
        topics = len({record.topic for record in outcome.debezium})
        known = sum(outcome.known.values())
        variant = outcome.variant
        yield (
            f"| {variant.name} | {variant.server} | {len(outcome.debezium)} | {topics} | {known} | "
            f"{len(outcome.unexplained)} |"
        )


def _cases(outcomes: list[Outcome]) -> Iterator[str]:
    records: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for outcome in outcomes:
        delimiter = outcome.variant.delimiter
        records.update(_case(record.topic, delimiter) for record in outcome.debezium)
        others.update(_case(difference.topic, delimiter) for difference in outcome.unexplained)
    yield "| topics of | records | other differences |\n| --- | ---: | ---: |"
    for case in sorted(records):
        yield f"| {case} | {records[case]} | {others[case]} |"


def _case(topic: str, delimiter: str) -> str:
    if delimiter != ".":
        return "(all, with another delimiter)"
    parts = topic.split(".")
    return "schema changes" if len(parts) == 1 else f"`{parts[1]}`"


def _masks() -> Iterator[str]:
    yield "| field (a regular expression) | of topics | why |\n| --- | --- | --- |"
    for mask in MASKED:
        path, topic = (pattern.replace("|", "\\|") for pattern in (mask.path, mask.topic))
        yield f"| `{path}` | `{topic}` | {mask.reason} |"


if __name__ == "__main__":
    sys.exit(1 if main(*map(Path, sys.argv[1:])) else 0)
