"""The signal tables, and the tables that signals may request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tailrace.config.settings import Settings
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.schema.tables import TableId


def signal_columns(settings: Settings, table: TableId, captured: Iterable[str]) -> list[str]:
    """The captured columns of a signal table that the configuration leaves in its events, from which signals are read."""
    return [name for name in captured if settings.columns.matches(table, name)]


def incomplete_signal_table(table: TableId, columns_read: Sequence[str]) -> str:
    """The message for a signal table of which not all columns are captured."""
    return f"the signal table {table} should have three columns, and these are captured: {', '.join(columns_read) or 'none'}"


def is_for_signals(events: Events, table: TableId) -> bool:
    """Whether rows that are inserted into a table are signals."""
    return events.folded(table) in map(events.folded, signal_tables_of(events.settings))


def is_captured(events: Events, table: TableId) -> bool:
    """Whether a table's rows may be requested: it is included, and is not a signal table."""
    return not is_for_signals(events, table) and events.settings.tables.matches(table)
