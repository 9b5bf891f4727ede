"""Properties for snapshots of Db2."""

from __future__ import annotations

from tailrace.config.properties import snapshots
from tailrace.connectors.change_tables import properties

PROPERTIES = (
    snapshots.mode(recovery="is the same, as there is no schema history that could be lost"),
    *properties.isolation("read_uncommitted", "read_committed", "repeatable_read", "exclusive"),
    *snapshots.tables("schema.table` or `database.schema.table"),
    *properties.LOCKS,
    *snapshots.PROPERTIES,
)
