"""The parts that SQL Server supplies for reading its logs."""

from __future__ import annotations

from functools import partial

from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.streaming import LogParts
from tailrace.connectors.shared.session_action import SessionAction
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.connectors.sqlserver.captured import SqlServerDecoding
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.post_processors.reselecting import SelectsRows


def log_parts(settings: SqlServerSettings) -> LogParts[Session]:
    """The parts for one configuration."""
    return LogParts(
        dialect=SqlServerDialect(settings),
        decoding=SqlServerDecoding(settings),
        incremental=partial(_incremental, settings),
        actions=partial(_actions, settings),
        reselected=partial(_reselected, settings),
    )


def _actions(settings: SqlServerSettings) -> SessionAction:
    session = connect(settings)  # in the first configured database; it commits each statement by itself
    return SessionAction(session.execute, session.close)


def _reselected(settings: SqlServerSettings, database: str) -> SelectsRows:
    from tailrace.connectors.sqlserver.reselected_rows import reselected_rows  # rarely needed

    return reselected_rows(settings, database)


def _incremental(settings: SqlServerSettings) -> IncrementalReader[LogBoundary]:
    from tailrace.connectors.sqlserver.snapshots.incremental import incremental_reader  # rarely needed

    return incremental_reader(settings)
