"""Db2's part of `docs/reference/differential.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.differential.db2.comparing import Outcome

HEADING = "## Db2"
TEXT = f"""{HEADING}

**On the stand-in**: no real Db2 could be had. The scenarios of `tests/differential/db2/scenarios.py` are played on
[a server of tailrace's own](db2-standin.md), which gives the same LSNs and times to whoever lives through the same steps.
Debezium's records of them are kept (`tests/differential/db2/golden`), tailrace's are of the run that wrote this part. They
are compared topic by topic, in order: key, value, schemas and headers. That real Debezium does today what was recorded,
`test_debezium_again.py` looks.

*Records* and *topics* are Debezium's, without heartbeats, without [structures that have not
changed](differences.md#structures-told-again-by-db2s-connector) and without ends of transactions that are told again after a restart.
"""
END = """
Masked [as above](#what-is-masked), and the times at which structures and rows of snapshots were read.

Where a signal asks for a snapshot, Debezium writes into the log itself, and asncap works by itself. There an LSN counts as how
many transactions are behind it.
"""


def section(outcomes: Iterable[Outcome]) -> str:
    """The part in markdown."""
    done = list(outcomes)
    total = sum(len(outcome.debezium) for outcome in done)
    return "\n".join([TEXT, f"{total} records of {len(done)} scenarios.\n", *_rows(done), END])


def _rows(outcomes: Iterable[Outcome]) -> Iterator[str]:
    yield "| scenario | case | records | topics | known | other |\n| --- | --- | ---: | ---: | ---: | ---: |"
    for outcome in outcomes:
        topics = len({record.topic for record in outcome.debezium})
        yield (
            f"| {outcome.scenario.name} | `{outcome.scenario.case}` | {len(outcome.debezium)} | {topics} | "
            f"{sum(outcome.known.values())} | {len(outcome.unexplained)} |"
        )
