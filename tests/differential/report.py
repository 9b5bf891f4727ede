"""`PYTHONPATH=tests python -m tests.differential.report [FILE]`: run every comparison and write the tables of `docs/reference/differential.md`.

With `--only mysql`, `sqlserver` or `db2` that part alone is made anew, and the others stay as they stand on the page.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.differential import jars
from tests.differential.compare import MASKED
from tests.differential.runs import Bench, Outcome
from tests.differential.variants import VARIANTS

sys.path[:0] = [str(Path(__file__).parents[1])]
from tests.differential.db2 import comparing as db2_comparing  # noqa: E402
from tests.differential.db2 import report as of_db2  # noqa: E402
from tests.differential.db2 import scenarios as db2_scenarios  # noqa: E402
from tests.differential.sqlserver import comparing, scenarios  # noqa: E402
from tests.differential.sqlserver import report as of_sqlserver  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "differential.md"
PARTS = ("mysql", "sqlserver", "db2")  # in the page's order
HEAD = f"""# Compared with Debezium

Debezium {jars.DEBEZIUM} and tailrace read the same log of the same MySQL server with the same properties; their
records are compared topic by topic, in order: key, value, schemas and headers. This page is written by
`PYTHONPATH=tests python -m tests.differential.report`; the SQL is in `tests/differential/cases/`, the settings in
`tests/differential/variants.py`. [SQL Server](#sql-server) and [Db2](#db2) have parts of their own, which `--only sqlserver` and
`--only db2` write.

A *known* difference is one that [differences.md](differences.md) explains; *other* ones are defects.
"""


def main(arguments: Sequence[str]) -> int:
    """Write the page; the number of differences that nothing explains."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.report")
    parser.add_argument("target", nargs="?", type=Path, default=PAGE)
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args(arguments)
    others = 0
    for name in PARTS if given.only is None else [given.only]:
        text, unexplained = MADE[name]()
        others += unexplained
        write(given.target, name, text)
    return others


def write(target: Path, name: str, text: str) -> None:
    """Put a part on a page, which may not be there yet; its other parts stay as they are."""
    target.parent.mkdir(parents=True, exist_ok=True)
    now = target.read_text(encoding="utf-8") if target.exists() else ""
    first, *others = re.split(
        rf"^(?={re.escape(of_sqlserver.HEADING)}$|{re.escape(of_db2.HEADING)}$)", now, flags=re.MULTILINE
    )
    parts = {"mysql": first, "sqlserver": "", "db2": ""}
    parts |= {"db2" if each.startswith(of_db2.HEADING) else "sqlserver": each for each in others} | {name: text}
    target.write_text("\n".join(parts[each].strip() + "\n" for each in PARTS if parts[each].strip()), encoding="utf-8")


def mysql() -> tuple[str, int]:
    """MySQL's part, and the number of differences in it that nothing explains."""
    with Bench() as bench:
        outcomes = [bench.outcome(variant) for variant in VARIANTS]
        version = bench.history(VARIANTS[0].server).server.variable("version")
    return part(outcomes, str(version)), sum(len(outcome.unexplained) for outcome in outcomes)


def sqlserver() -> tuple[str, int]:
    """SQL Server's part, and the number of differences in it that nothing explains."""
    outcomes = [comparing.outcome(scenario) for scenario in scenarios.SCENARIOS]
    return of_sqlserver.section(outcomes), sum(len(outcome.unexplained) for outcome in outcomes)


def db2() -> tuple[str, int]:
    """Db2's part, and the number of differences in it that nothing explains."""
    outcomes = [db2_comparing.outcome(scenario) for scenario in db2_scenarios.SCENARIOS]
    return of_db2.section(outcomes), sum(len(outcome.unexplained) for outcome in outcomes)


def part(outcomes: Iterable[Outcome], server: str) -> str:
    """MySQL's part, with which the page begins, in markdown."""
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


MADE = {"mysql": mysql, "sqlserver": sqlserver, "db2": db2}

if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
