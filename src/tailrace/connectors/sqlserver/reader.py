"""SQL Server as a connector: its parts."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.connectors.base import Progress, StartPoint
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

    def start_point(self, snapshot_lanes: int = 0, after: Sequence[Progress] = ()) -> StartPoint:
        """As of any database with change tables; warns about columns that capture may get wrong."""
        found = super().start_point(snapshot_lanes, after)
        self._warn_of_code_pages()
        return found

    def warn_of_lists(self) -> None:
        """The same when a connector resumes."""
        super().warn_of_lists()
        self._warn_of_code_pages()

    def _warn_of_code_pages(self) -> None:
        from tailrace.connectors.sqlserver.code_pages import warn  # a session: tasks need none of it

        warn(self.settings)
