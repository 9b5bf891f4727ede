"""Snapshots, as far as their properties are the same for all connectors."""

from __future__ import annotations

import re

from tailrace.config.property import Kind, Property, Status, prefixed

GROUP = "Snapshots"
ONLY_SNAPSHOT = "initial_only"
WITH_NEW_SNAPSHOT = ("always", "when_needed")
"""The values of `snapshot.mode` that read rows again although a snapshot was completed."""
WITH_ROWS = ("initial", ONLY_SNAPSHOT, *WITH_NEW_SNAPSHOT)
"""The values of `snapshot.mode` with which a new connector first reads rows."""
_UNUSED = Status.UNUSED


_OTHER_MODES = (
    (
        re.compile("configuration_based"),
        (
            "that is not supported yet: of the modes that are there, always reads the tables at each start, initial once, "
            "no_data never, when_needed also where the log no longer reaches back, and initial_only ends after them"
        ),
    ),
    (re.compile("custom"), "that is a Java class, which can't be run here; set one of the other modes"),
    (
        re.compile("when_needed_no_data"),
        "that is not supported yet: no_data begins at the log's end, and stops where the log no longer reaches back",
    ),
)


def mode(*, recovery: str) -> Property:
    """`snapshot.mode`; `recovery` describes what that value does with this database."""
    return Property(
        name="snapshot.mode",
        kind=Kind.ENUM,
        default="initial",
        allowed=(*WITH_ROWS, "no_data", "recovery"),
        not_yet=("when_needed_no_data", "configuration_based", "custom"),
        recognised=_OTHER_MODES,
        impossible={"never": "Debezium has dropped it; no_data begins at the log's end, and initial with the tables"},
        other_spellings={"schema_only": "no_data", "schema_only_recovery": "recovery"},
        doc="What a new connector begins with: `initial` reads the tables, then the log from there on; `initial_only` ends "
        "after the tables; `always` reads them at each start; `when_needed` also when the log no longer reaches back; "
        f"`no_data` begins at the log's end; `recovery` {recovery}.",
    )


def tables(name: str) -> tuple[Property, ...]:
    """Which tables a snapshot reads, and with which statements; `name` is how both properties name a table."""
    return (
        Property(
            name="snapshot.include.collection.list",
            kind=Kind.REGEXES,
            doc=f"Tables whose rows a snapshot reads, as `{name}`; without it all captured ones.",
        ),
        Property(
            name="snapshot.select.statement.overrides",
            kind=Kind.LIST,
            doc=f"Tables, as `{name}`, of which a SELECT of one's own says which rows a snapshot reads.",
        ),
    )


def _flag(name: str, doc: str) -> Property:
    return Property(name=name, kind=Kind.BOOL, default=False, status=_UNUSED, doc=doc)


PROPERTIES = (
    Property(
        name="snapshot.delay.ms",
        kind=Kind.MS,
        default=0,
        minimum=0,
        doc="Pause before a snapshot.",
    ),
    Property(
        name="snapshot.max.threads",
        kind=Kind.INT,
        minimum=1,
        doc="Tasks that read a snapshot side by side; without it as many as Spark has cores (into files: one). Of a "
        "DataFrame: parts that one batch has; without it 8.",
    ),
    Property(
        name="snapshot.max.threads.multiplier",
        kind=Kind.INT,
        default=1,
        minimum=1,
        status=_UNUSED,
        doc="Chunks of a table for each snapshot thread.",
    ),
    Property(
        name="legacy.snapshot.max.threads",
        kind=Kind.BOOL,
        default=False,
        aliases=("internal.legacy.snapshot.max.threads",),
        status=_UNUSED,
        doc="Whether snapshot threads take whole tables.",
    ),
    Property(
        name="snapshot.tables.order.by.row.count",
        kind=Kind.ENUM,
        default="disabled",
        allowed=("descending", "ascending", "disabled"),
        doc="Whether a snapshot begins with the largest or the smallest tables.",
    ),
    Property(
        name="snapshot.query.mode",
        kind=Kind.ENUM,
        default="select_all",
        allowed=("select_all",),
        impossible={"custom": "it is a Java class; name tables in snapshot.select.statement.overrides instead"},
        doc="Who writes the statements of a snapshot; for one's own see `snapshot.select.statement.overrides`.",
    ),
    Property(
        name="snapshot.query.mode.custom.name",
        status=Status.IGNORED,
        reason="Java classes can't be run here",
        doc="Name of a custom snapshot query class.",
    ),
    Property(
        name="snapshot.locking.mode.custom.name", status=_UNUSED, doc="Name of a custom snapshot lock class."
    ),
    Property(name="snapshot.mode.custom.name", status=_UNUSED, doc="Name of a custom snapshotter class."),
    _flag(
        "snapshot.mode.configuration.based.snapshot.data",
        "Whether a configuration-based snapshot reads rows.",
    ),
    _flag("snapshot.mode.configuration.based.snapshot.schema", "Whether it reads structures."),
    _flag("snapshot.mode.configuration.based.start.stream", "Whether the log is read after it."),
    _flag(
        "snapshot.mode.configuration.based.snapshot.on.schema.error",
        "Whether structures are read when the schema history is lost.",
    ),
    _flag(
        "snapshot.mode.configuration.based.snapshot.on.data.error",
        "Whether rows are read when the log no longer reaches back.",
    ),
    Property(
        name="incremental.snapshot.chunk.size",
        kind=Kind.INT,
        minimum=1,
        doc="Rows of a chunk of an incremental snapshot; without it a chunk has as many rows as about 4 MB hold, at most "
        "16,384.",
    ),
    Property(
        name="incremental.snapshot.allow.schema.changes",
        kind=Kind.BOOL,
        default=False,
        status=Status.IGNORED,
        reason="structures may always change",
        doc="Whether structures may change during an incremental snapshot.",
    ),
    Property(
        name="incremental.snapshot.watermarking.strategy",
        kind=Kind.ENUM,
        default="insert_insert",
        allowed=("insert_insert", "insert_delete"),
        status=Status.IGNORED,
        reason="nothing is written to the source",
        doc="How the window of a chunk is marked in the signal table.",
    ),
)

FAMILIES = (
    prefixed(
        "snapshot.select.statement.overrides.",
        "The SELECT for one table of that list, whose name follows.",
        Status.WORKS,
        "",
    ),
    prefixed("snapshot.max.threads.multiplier.", "The multiplier for one table.", _UNUSED, ""),
)
