"""The part of `docs/reference/differential.md` that is about SQL Server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.differential.compare import MASKED as OF_ANY_CONNECTOR
from tests.differential.sqlserver.comparing import Outcome
from tests.differential.sqlserver.known import MASKED

HEADING = "## SQL Server"
TEXT = f"""{HEADING}

**On the stand-in**: no real SQL Server could be had. The scenarios of `tests/differential/sqlserver/scenarios.py` are played on
[a server of tailrace's own](sqlserver-standin.md), which gives the same LSNs and times to whoever lives through the same steps.
Debezium's records of them are kept (`tests/differential/sqlserver/golden`), tailrace's are of the run that wrote this part. They
are compared topic by topic, in order: key, value, schemas and headers. On a [real
server](../guides/verify-on-a-real-server.md), where this was not done yet, `test_debezium_again.py` has both read one log.

*Records* and *topics* are Debezium's, without heartbeats, without [ends of transactions that are told
again](differences.md#the-end-of-a-transaction-told-again) and without [notifications on the
way](differences.md#notifications-of-sql-servers-snapshots). A known difference is a field, or a record that Debezium alone has.
"""
PLACES = """
Masked [as above](#what-is-masked), and {own}.

Where a signal asks for an incremental snapshot, Debezium writes into the log itself. There an LSN counts as how many
transactions are behind it, and when chunks were read is not compared.
"""


def section(outcomes: Iterable[Outcome]) -> str:
    """The part in markdown."""
    done = list(outcomes)
    total = sum(len(outcome.debezium) for outcome in done)
    told = f"{total} records of {len(done)} scenarios.\n"
    own = (mask for mask in MASKED if mask not in OF_ANY_CONNECTOR)
    masked = "; ".join(f"in the topic `{mask.topic}` the field `{mask.path}`: {mask.reason}" for mask in own)
    return "\n".join([TEXT, told, *_rows(done), PLACES.format(own=masked)])


def _rows(outcomes: Iterable[Outcome]) -> Iterator[str]:
    yield "| scenario | case | records | topics | known | other |\n| --- | --- | ---: | ---: | ---: | ---: |"
    for outcome in outcomes:
        topics = len({record.topic for record in outcome.debezium})
        yield (
            f"| {outcome.scenario.name} | `{outcome.scenario.case}` | {len(outcome.debezium)} | {topics} | "
            f"{sum(outcome.known.values())} | {len(outcome.unexplained)} |"
        )
