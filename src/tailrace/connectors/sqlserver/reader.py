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
        planned_tables="tailrace.connectors.sqlserver.snapshots.planned_tables:SqlServerTables",
        signal_sql="tailrace.connectors.sqlserver.signal_sql:T_SQL",
        snapshot_reader="tailrace.connectors.sqlserver.snapshots.snapshot_reader:snapshot_reader",
        part_reader="tailrace.connectors.sqlserver.snapshots.part_reading:part_reader",
        signal_poller="tailrace.connectors.sqlserver.signal_polling:signal_poller",
    )
