"""Sessions for planning a snapshot, and warnings about tables that are not captured."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final, Self

from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.snapshots import point
from tailrace.connectors.change_tables.snapshots.point import Point
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import Session, connect
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import RetriableError
from tailrace.schema.tables import TableId

SHOWN: Final = 10

log = logging.getLogger(__name__)


class Sessions:
    """A session in each configured database, by the server's spelling of its name."""

    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self.by_database: dict[str, Session] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name in self._settings.database_names:
                session = stack.enter_context(connect(self._settings, name))
                self.by_database[catalog.require_captured(session, name)] = session
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def take(session: Session, settings: SqlServerSettings) -> Point:
    """Take the current P of the session's database.

    Raises:
        RetriableError: an instance of a wanted table does not begin; the capture job may not be running.

    """
    return point.take(SqlServerDialect(settings), session, _not_begun, _warn_of_others)


def at(session: Session, settings: SqlServerSettings, tables: Sequence[TableId], lsn: Lsn) -> Point:
    """An earlier P of the session's database; see `point.at`."""
    return point.at(SqlServerDialect(settings), session, tables, lsn)


def _not_begun(database: str, waiting: Sequence[str], seconds: float) -> RetriableError:
    return RetriableError(
        f"the capture job of {database} has not begun with {', '.join(waiting[:SHOWN])} after "
        f"{seconds:g} s: is SQL Server Agent running, and the job cdc.{database}_capture?"
    )


def _warn_of_others(database: str, tables: Sequence[TableId]) -> None:
    if tables:
        shown = ", ".join(f"{table.schema}.{table.name}" for table in tables[:SHOWN])
        more = f" and {len(tables) - SHOWN} more" if len(tables) > SHOWN else ""
        log.warning(
            "not captured, and therefore not in the snapshot, are in %s: %s%s. EXEC sys.sp_cdc_enable_table has a table "
            "captured; table.include.list and table.exclude.list say which are wanted",
            database,
            shown,
            more,
        )
