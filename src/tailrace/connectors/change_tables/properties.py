"""Properties that the connectors with change tables have in common, as far as Debezium has them the same."""

from __future__ import annotations

from typing import Final

from tailrace.config.properties import history
from tailrace.config.property import Kind, Property, Status, varied

TIME_MODES: Final = (
    "adaptive",
    "adaptive_time_microseconds",
    "connect",
    "isostring",
    "microseconds",
    "nanoseconds",
)
"""The values of `time.precision.mode`, its default first."""

SCHEMAS: Final = (
    Property(
        name="schema.include.list",
        kind=Kind.REGEXES,
        aliases=("schema.whitelist",),
        doc="Schemas to capture; without it all but the excluded and the system schemas.",
    ),
    Property(
        name="schema.exclude.list",
        kind=Kind.REGEXES,
        aliases=("schema.blacklist",),
        doc="Schemas to leave out.",
    ),
)
"""Which schemas are captured."""

HISTORY: Final = varied(
    history.PROPERTIES,
    "schema.history.internal.skip.unparseable.ddl",
    status=Status.IGNORED,
    reason="structures are read from the catalog, and no DDL statement is",
)
"""The schema history."""

LOCKS: Final = (
    Property(
        name="snapshot.lock.timeout.ms",
        kind=Kind.MS,
        default=10_000,
        minimum=-1,
        doc="How long a snapshot waits for a lock; 0 does not wait, -1 waits for ever. Then it fails. Where neither this nor "
        "`snapshot.isolation.mode` is given, it goes on trying.",
    ),
    Property(
        name="snapshot.fetch.size",
        kind=Kind.INT,
        minimum=0,
        status=Status.IGNORED,
        reason="as many rows are read at a time as some megabytes hold",
        doc="Rows fetched at a time during a snapshot.",
    ),
)
"""How the rows of a snapshot are read."""


def isolation(*modes: str) -> tuple[Property, ...]:
    """What a snapshot promises: the isolation modes that the database has, and the locking of tables."""
    return (
        Property(
            name="snapshot.isolation.mode",
            kind=Kind.ENUM,
            allowed=modes,
            doc="Isolation of the one transaction that reads the tables, with what Debezium promises of it. Without it, tables "
            "are read in chunks side by side, exact and without locks that last; Debezium's default is `repeatable_read`.",
        ),
        Property(
            name="snapshot.locking.mode",
            kind=Kind.ENUM,
            default="exclusive",
            allowed=("exclusive", "none"),
            not_yet=("custom",),
            doc="Whether tables are locked while structures are read, where `snapshot.isolation.mode` is `repeatable_read` or "
            "`exclusive`.",
        ),
    )


def modes(temporal: str, decimal: str) -> tuple[Property, ...]:
    """The modes in which such columns appear; `temporal` and `decimal` name their types."""
    return (
        Property(
            name="time.precision.mode",
            kind=Kind.ENUM,
            default=TIME_MODES[0],
            allowed=TIME_MODES,
            doc=f"How {temporal} columns appear; `adaptive` by their precision.",
        ),
        Property(
            name="decimal.handling.mode",
            kind=Kind.ENUM,
            default="precise",
            allowed=("precise", "string", "double"),
            doc=f"How {decimal} columns appear.",
        ),
    )
