"""Snapshots of MySQL."""

from __future__ import annotations

from tailrace.config.properties import snapshots
from tailrace.config.property import Kind, Property, Status

PROPERTIES = (
    snapshots.mode(recovery="builds a lost schema history again"),
    Property(
        name="snapshot.locking.mode",
        kind=Kind.ENUM,
        default="minimal",
        allowed=(
            "minimal",
            "extended",
            "none",
            "minimal_percona",
            "minimal_percona_no_table_locks",
            "custom",
        ),
        doc="Which locks a snapshot may take, for the moment in which its position is asked for: `none` takes none; with "
        "GTIDs none is needed.",
    ),
    *snapshots.tables("database.table"),
    Property(
        name="snapshot.lock.timeout.ms",
        kind=Kind.MS,
        default=10_000,
        minimum=0,
        doc="How long a snapshot waits for the lock that it takes without GTIDs.",
    ),
    Property(
        name="snapshot.fetch.size",
        kind=Kind.INT,
        minimum=0,
        status=Status.IGNORED,
        reason="as many rows are read at a time as some megabytes hold",
        doc="Rows fetched at a time during a snapshot.",
    ),
    Property(
        name="min.row.count.to.stream.results",
        kind=Kind.INT,
        default=1000,
        minimum=0,
        status=Status.IGNORED,
        reason="it tunes memory of the JVM",
        doc="Rows from which a snapshot streams a table instead of holding it in memory.",
    ),
    *snapshots.PROPERTIES,
)
