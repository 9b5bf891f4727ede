"""The rows of signal tables, for a planner that does not read the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tailrace.connectors.base import Signalled
from tailrace.connectors.change_tables.signal_polling import PolledChangeTables
from tailrace.connectors.shared.signal_polling import ChannelPoller, unreadable
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.dialect import SqlServerDialect
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId

LOCK_MS: Final = 1_000  # a transaction that is writing a signal is not waited for: the next poll finds it


def signal_poller(settings: SqlServerSettings, signalled: Signalled | None) -> ChannelPoller:
    """Polls the signals of one stream, from the state in an offset."""
    return ChannelPoller(settings, signalled, PolledChangeTables(SqlServerDialect(settings), _rows))


def _rows(session: Session, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
    name = quoted(table.schema, table.name)
    session.execute(f"SET LOCK_TIMEOUT {LOCK_MS}")
    if session.one("SELECT OBJECT_ID(?)", name) is None:
        return None
    try:
        return session.rows(f"SELECT TOP ({most}) * FROM {name} ORDER BY 1")  # noqa: S608 -- it is quoted
    except SourceSetupError as error:
        raise unreadable(table, error, f"GRANT SELECT ON {name}") from error
