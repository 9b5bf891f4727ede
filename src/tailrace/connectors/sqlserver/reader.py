"""SQL Server as a connector: its parts."""

from __future__ import annotations

from tailrace.connectors.change_tables.connector import ChangeTableConnector, Parts
from tailrace.connectors.sqlserver.settings import SqlServerSettings


class SqlServerConnector(ChangeTableConnector[SqlServerSettings]):
    """The databases of one SQL Server, read with one configuration."""

    parts = Parts(
        dialect="tailrace.connectors.sqlserver.dialect:SqlServerDialect",
        existing="tailrace.connectors.sqlserver.listed_tables:existing",
        log_parts="tailrace.connectors.sqlserver.log_parts:log_parts",
        planned="tailrace.connectors.sqlserver.snapshots.planning:planned",
        snapshot_point="tailrace.connectors.sqlserver.snapshots.planning:snapshot_point",
        next_parts="tailrace.connectors.sqlserver.snapshots.planning:next_parts",
        requested_step="tailrace.connectors.sqlserver.snapshots.planning:requested_step",
        snapshot_reader="tailrace.connectors.sqlserver.snapshots.snapshot_reader:snapshot_reader",
        part_reader="tailrace.connectors.sqlserver.snapshots.part_reading:part_reader",
        blocking_reader="tailrace.connectors.sqlserver.blocking:blocking_reader",
        signal_poller="tailrace.connectors.sqlserver.signal_polling:signal_poller",
    )
