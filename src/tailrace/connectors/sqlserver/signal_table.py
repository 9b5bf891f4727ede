"""The tables that signals are written to, and those that signals may ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tailrace.config.filters import TableFilter
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import TableId

ALL_THREE: Final = (
    "make an instance that captures them all (without @captured_column_list), and let column.include.list and "
    "column.exclude.list leave them alone"
)
"""What to do where fewer columns than three are heard."""


def heard_columns(settings: SqlServerSettings, table: TableId, captured: Iterable[str]) -> list[str]:
    """Which of a signal table's captured columns the configuration leaves in its events, where signals are read."""
    return [name for name in captured if settings.columns.matches(table, name)]


def deaf(table: TableId, heard: Sequence[str]) -> str:
    """What to say of a signal table of which not all columns come through."""
    return f"the signal table {table} should have three columns, and these are captured: {', '.join(heard) or 'none'}"


def is_for_signals(settings: SqlServerSettings, table: TableId) -> bool:
    """Whether rows that are inserted into a table are signals; names are compared without regard to case."""
    return TableFilter.lower(table) in map(TableFilter.lower, signal_tables_of(settings))


def is_captured(settings: SqlServerSettings, table: TableId) -> bool:
    """Whether a table's rows may be asked for: it is wanted, and no table of signals."""
    return not is_for_signals(settings, table) and settings.tables.matches(table)
