"""The configured signal tables."""

from __future__ import annotations

from tailrace.config.settings import Settings
from tailrace.schema.table_names import signal_tables
from tailrace.schema.tables import TableId
from tailrace.signals.model import Channel


def signal_tables_of(settings: Settings) -> tuple[TableId, ...]:
    """The tables whose rows are signals; none if the channel `source` is not enabled."""
    if Channel.SOURCE not in settings.signal_enabled_channels:
        return ()
    return signal_tables(settings.signal_data_collection or ())
