"""Signals for a planner, which does not read the log: the MySQL side of `shared/signal_polling.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.connectors.base import Signalled
from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import GONE, quoted
from tailrace.connectors.mysql.connection import connect, error_number, rows
from tailrace.connectors.mysql.positions import restart_text
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.shared.signal_polling import ChannelPoller, unreadable
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId


def signal_poller(settings: MySqlSettings, signalled: Signalled | None) -> ChannelPoller:
    """The signals of one stream, from an offset's state on."""
    return ChannelPoller(settings, signalled, _PolledMySql(settings))


class _PolledMySql:
    def __init__(self, settings: MySqlSettings) -> None:
        self._settings = settings

    def rows(self, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
        """The rows of a signal table by their first column, at most `most`; None if it does not exist."""
        name = f"{quoted(table.catalog)}.{quoted(table.name)}"
        with connect(self._settings) as session:
            try:
                return rows(session, f"SELECT * FROM {name} ORDER BY 1 LIMIT {most}")  # noqa: S608 -- it is quoted
            except SourceSetupError as error:
                if error_number(error) in GONE:
                    return None
                raise unreadable(table, error, f"GRANT SELECT ON {name}") from error

    def captured(self) -> Sequence[TableId]:
        """The current tables whose rows signals may request."""
        with connect(self._settings) as session:
            lower_names = catalog.server(session).lower_names
            found = catalog.table_ids(session)
        return [table for table in found if is_captured(self._settings, table, lower_names=lower_names)]

    def position_text(self, position: Mapping[str, Any]) -> str:
        """A position, for people."""
        return restart_text(position)
