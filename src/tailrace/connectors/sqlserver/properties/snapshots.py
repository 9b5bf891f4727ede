"""Properties for snapshots of SQL Server."""

from __future__ import annotations

from tailrace.config.properties import snapshots
from tailrace.config.property import Kind, Property
from tailrace.connectors.change_tables import properties

PROPERTIES = (
    snapshots.mode(recovery="is the same, as there is no schema history that could be lost"),
    *properties.isolation("read_uncommitted", "read_committed", "repeatable_read", "snapshot", "exclusive"),
    *snapshots.tables("schema.table` or `database.schema.table"),
    *properties.LOCKS,
    Property(
        name="incremental.snapshot.option.recompile",
        kind=Kind.BOOL,
        default=False,
        doc="Whether the statements of incremental snapshots end with `OPTION (RECOMPILE)`.",
    ),
    *snapshots.PROPERTIES,
)
