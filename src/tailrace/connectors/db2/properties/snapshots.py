"""Properties for snapshots of Db2."""

from __future__ import annotations

from tailrace.config.properties import snapshots
from tailrace.config.property import Kind, Property, Status

PROPERTIES = (
    snapshots.mode(recovery="is the same, as there is no schema history that could be lost"),
    Property(
        name="snapshot.isolation.mode",
        kind=Kind.ENUM,
        allowed=("read_uncommitted", "read_committed", "repeatable_read", "exclusive"),
        doc="Isolation of the one transaction that reads the tables, with what Debezium promises of it. Without it, tables are "
        "read in chunks side by side, exact and without locks that last; Debezium's default is `repeatable_read`.",
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
    *snapshots.tables("schema.table` or `database.schema.table"),
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
    *snapshots.PROPERTIES,
)
