"""The parts that Db2 supplies for reading its log."""

from __future__ import annotations

from functools import partial

from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.streaming import LogParts
from tailrace.connectors.db2.captured import Db2Decoding
from tailrace.connectors.db2.connection import Session, connect
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.shared.session_action import SessionAction
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.post_processors.reselecting import SelectsRows


def log_parts(settings: Db2Settings) -> LogParts[Session]:
    """The parts for one configuration."""
    return LogParts(
        dialect=Db2Dialect(settings),
        decoding=Db2Decoding(settings),
        incremental=partial(_incremental, settings),
        actions=partial(_actions, settings),
        reselected=partial(_reselected, settings),
    )


def _actions(settings: Db2Settings) -> SessionAction:
    session = connect(settings)

    def execute(statement: str) -> None:
        session.execute(statement)
        session.commit()

    return SessionAction(execute, session.close)


def _reselected(settings: Db2Settings, database: str) -> SelectsRows:
    from tailrace.connectors.db2.reselected_rows import reselected_rows  # rarely needed

    del database  # a connector reads one
    return reselected_rows(settings)


def _incremental(settings: Db2Settings) -> IncrementalReader[LogBoundary]:
    from tailrace.connectors.db2.snapshots.incremental import incremental_reader  # rarely needed

    return incremental_reader(settings)
