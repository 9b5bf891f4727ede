"""The MySQL side of signals that come while the log is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.mysql.captured import CapturedTables
from tailrace.connectors.mysql.definitions import Definitions
from tailrace.connectors.mysql.positions import RestartPosition, restart_text
from tailrace.connectors.mysql.settings import MySqlSettings
from tailrace.connectors.mysql.signal_table import is_captured
from tailrace.connectors.shared.batches import Batch
from tailrace.schema.tables import TableId

if TYPE_CHECKING:
    from tailrace.connectors.mysql.snapshots.incremental import MySqlIncrementalReader


class MySqlRequestedWorkLog:
    """The log that a lane reads, with its tables and structures."""

    def __init__(self, settings: MySqlSettings, lane: Lane, tables: CapturedTables, definitions: Definitions) -> None:
        self._settings = settings
        self._lane = lane
        self._tables = tables
        self._definitions = definitions

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""
        return self._tables.owns(table)

    def tables(self) -> list[TableId]:
        """The tables whose rows signals may request."""
        structures = self._definitions.structures
        return [table for table in structures if is_captured(self._settings, table, lower_names=structures.lower_names)]

    def position_text(self, progress: Progress) -> str:
        """The position of a progress, for people."""
        return restart_text(progress.restart)

    def take_structure(self, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch) -> bool:
        """Use a structure that a signal gives; the log is read again with it."""
        self._definitions.take(database, change, RestartPosition.from_dict(progress.restart), batch)
        return True

    def incremental_reader(self) -> MySqlIncrementalReader:
        """The reader of incremental snapshots."""
        from tailrace.connectors.mysql.snapshots.incremental import MySqlIncrementalReader  # rarely needed

        return MySqlIncrementalReader(self._settings, self._lane)
