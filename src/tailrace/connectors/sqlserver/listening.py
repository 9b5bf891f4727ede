"""Signals for those who plan a stream and do not read its log: what of `shared/listening.py` only SQL Server can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tailrace.connectors.base import Signalled
from tailrace.connectors.shared.listening import ChannelListener, unreadable
from tailrace.connectors.sqlserver import catalog
from tailrace.connectors.sqlserver.connection import connect, quoted
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_table import is_captured
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId

LOCK_MS: Final = 1_000  # somebody who is amid writing a signal is not waited for


def listener(settings: SqlServerSettings, signalled: Signalled | None) -> ChannelListener:
    """The signals of one stream, from what an offset keeps on."""
    return ChannelListener(settings, signalled, _Listened(settings))


class _Listened:
    def __init__(self, settings: SqlServerSettings) -> None:
        self._settings = settings

    def rows(self, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
        """The rows of a signal table by their first column, at most so many; None where it is not there."""
        name = quoted(table.schema, table.name)
        with connect(self._settings, table.catalog) as session:
            session.execute(f"SET LOCK_TIMEOUT {LOCK_MS}")
            if session.one("SELECT OBJECT_ID(?)", name) is None:
                return None
            try:
                return session.rows(f"SELECT TOP ({most}) * FROM {name} ORDER BY 1")  # noqa: S608 -- it is quoted
            except SourceSetupError as error:
                raise unreadable(table, error, f"GRANT SELECT ON {name}") from error

    def captured(self) -> Sequence[TableId]:
        """The tables whose rows may be asked for, as they are now."""
        found: list[TableId] = []
        for name in self._settings.database_names:
            with connect(self._settings, name) as session:
                found += sorted({each.table for each in catalog.instances(session)})
        return [table for table in found if is_captured(self._settings, table)]

    def shown(self, position: Mapping[str, Any]) -> str:
        """A position, for people."""
        restart = POSITIONS.restart(position)
        return ", ".join(f"{name} {restart[name].lsn}" for name in restart)
