"""What reading SQL Server's logs is made of."""

from __future__ import annotations

from functools import partial

from tailrace.connectors.change_tables.streaming import LogParts
from tailrace.connectors.sqlserver.action_connection import SqlServerActionConnection
from tailrace.connectors.sqlserver.asked import SqlServerSignalledLog
from tailrace.connectors.sqlserver.captured import SqlServerDecoding
from tailrace.connectors.sqlserver.connection import Session
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings


def log_parts(settings: SqlServerSettings) -> LogParts[Session]:
    """Those of one configuration."""
    return LogParts(
        dialect=SqlServerDialect(settings),
        decoding=SqlServerDecoding(settings),
        signalled=partial(SqlServerSignalledLog, settings),
        actions=partial(SqlServerActionConnection, settings),
    )
