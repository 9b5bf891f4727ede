"""The rows of signal tables, for a planner that does not read the log."""

# ruff: noqa: S608 -- names are quoted
from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from tailrace.connectors.base import Signalled
from tailrace.connectors.change_tables.signal_polling import PolledChangeTables
from tailrace.connectors.db2 import structures
from tailrace.connectors.db2.catalog import sql_of
from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.dialect import Db2Dialect
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.snapshots import locks
from tailrace.connectors.db2.types import expressions, without_byte_before
from tailrace.connectors.shared.signal_polling import ChannelPoller, unreadable
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId

LOCK_MS: Final = 1_000  # a transaction that is writing a signal is not waited for: the next poll finds it


def signal_poller(settings: Db2Settings, signalled: Signalled | None) -> ChannelPoller:
    """Polls the signals of one stream, from the state in an offset."""
    return ChannelPoller(settings, signalled, PolledChangeTables(Db2Dialect(settings), partial(_rows, settings)))


def _rows(settings: Db2Settings, session: Session, table: TableId, most: int) -> Sequence[Sequence[Any]] | None:
    name = quoted(table.schema, table.name)
    locks.limit(session, settings, LOCK_MS)
    found = structures.tables(session, session.database, table.__eq__, sql_of(settings)).get(table)
    if found is None:
        return None
    # Text as it is read elsewhere, which the driver would misread.
    selected = [expressions(each, is_zos=settings.is_zos) for each in found.columns]
    columns = [each[0].replace("{}", quoted(column.name)) for column, each in zip(found.columns, selected, strict=True)]
    try:
        with locks.released(session):
            rows = session.rows(
                f"SELECT {', '.join(columns)} FROM {name} ORDER BY 1 FETCH FIRST {most} ROWS ONLY WITH CS"
            )
    except SourceSetupError as error:
        raise unreadable(table, error, f"GRANT SELECT ON {name}") from error
    return [[_text(each, value) for each, value in zip(selected, row, strict=True)] for row in rows]


def _text(selected: Sequence[str], value: Any) -> Any:
    """A value; large objects come as bytes."""
    return without_byte_before(selected, value).decode() if isinstance(value, bytes) else value
