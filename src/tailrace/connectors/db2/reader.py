"""Db2 as a connector: its parts."""

from __future__ import annotations

from tailrace.connectors.change_tables.connector import ChangeTableConnector, Parts
from tailrace.connectors.db2.settings import Db2Settings


class Db2Connector(ChangeTableConnector[Db2Settings]):
    """One database of Db2, read with one configuration."""

    parts = Parts(
        dialect="tailrace.connectors.db2.dialect:Db2Dialect",
        existing="tailrace.connectors.db2.listed_tables:existing",
        log_parts="tailrace.connectors.db2.log_parts:log_parts",
        planned_tables="tailrace.connectors.db2.snapshots.planned_tables:PlannedDb2Tables",
        signal_sql="tailrace.connectors.db2.signal_sql:DB2_SQL",
        snapshot_reader="tailrace.connectors.db2.snapshots.snapshot_reader:snapshot_reader",
        part_reader="tailrace.connectors.db2.snapshots.part_reading:part_reader",
        signal_poller="tailrace.connectors.db2.signal_polling:signal_poller",
    )
