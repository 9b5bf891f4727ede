"""Properties for reading SQL Server's change tables."""

from __future__ import annotations

from tailrace.config.properties import reading
from tailrace.config.property import Kind, Property, Status, varied

FUNCTION = "function"
"""The `data.query.mode` in which changes are read by the instances' query functions."""
COMMIT, PROCESSING = "commit", "processing"

PROPERTIES = (
    Property(
        name="source.timestamp.mode",
        kind=Kind.ENUM,
        default=COMMIT,
        allowed=(COMMIT, PROCESSING),
        doc="What the times of the source block of a change say: `commit`, when its transaction was committed; `processing`, "
        "when it was read from the change table. Left out, what Debezium 3.6 tells, which has no such property: the begin of "
        "the transaction, or its end with `data.query.mode=function`; with an older `tailrace.event.shape` its end.",
    ),
    Property(
        name="database.server.timezone",
        doc="Time zone of the server's clock, by which it writes when transactions were committed: `Europe/Paris`, `CET`, "
        "`+02:00`, `UTC`. Without it the offset that the clock has now is taken off, which is an hour wrong for what was "
        "committed before the clocks were changed and is read after. Debezium has it no more.",
    ),
    Property(
        name="data.query.mode",
        kind=Kind.ENUM,
        default="direct",
        allowed=("direct", FUNCTION),
        doc="Whether change tables are read themselves, or through `cdc.fn_cdc_get_all_changes_...`, which does not tell the "
        "order of a transaction's statements.",
    ),
    Property(
        name="max.iteration.transactions",
        kind=Kind.INT,
        default=500,
        minimum=0,
        doc="Transactions that are read at a time, of all tables of a database. Left out, or 0, tailrace takes as many as suit "
        "it: 100,000, or 20,000 with `provide.transaction.metadata`.",
    ),
    Property(
        name="streaming.fetch.size",
        kind=Kind.INT,
        default=0,
        minimum=0,
        doc="Rows of a change table that are asked for at a time; 0 leaves it to tailrace.",
    ),
    Property(
        name="query.fetch.size",
        kind=Kind.INT,
        default=10_000,
        minimum=0,
        status=Status.IGNORED,
        reason="as many rows are held at a time as some megabytes have",
        doc="Rows of an answer that are held in memory at a time.",
    ),
    *varied(
        reading.PROPERTIES,
        "event.converting.failure.handling.mode",
        status=Status.IGNORED,
        reason="a value that does not fit its column's type is an event that can't be shown",
    ),
)
