"""Reading SQL Server's change tables."""

from __future__ import annotations

from tailrace.config.properties import reading
from tailrace.config.property import Kind, Property, Status, varied

PROPERTIES = (
    Property(
        name="data.query.mode",
        kind=Kind.ENUM,
        default="direct",
        allowed=("direct", "function"),
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
