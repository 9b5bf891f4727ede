"""What signals need of SQL Server's logs while they are being read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tailrace.config.filters import TableFilter
from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables.told_structures import NO_INSTANCE, ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.positions import POSITIONS
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.connectors.sqlserver.signal_table import ALL_THREE, deaf, heard_columns, is_captured
from tailrace.schema.tables import TableId
from tailrace.signals.table import COLUMNS

if TYPE_CHECKING:
    from tailrace.connectors.sqlserver.snapshots.incremental import SqlServerIncrementalReader

log = logging.getLogger(__name__)


class SqlServerSignalledLog:
    """The logs that a lane reads, with its tables and structures."""

    def __init__(
        self, settings: SqlServerSettings, lane: Lane, owns: Callable[[TableId], bool], told: ToldStructures
    ) -> None:
        self._settings = settings
        self._lane = lane
        self._owns = owns
        self._told = told

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""
        return self._owns(table)

    def tables(self) -> list[TableId]:
        """The tables whose rows may be asked for."""
        captured = [table for table in self._told.tables if self._told.told_instance(table) != NO_INSTANCE]
        return sorted(table for table in captured if is_captured(self._settings, table))

    def warn_of_deaf(self) -> None:
        """Say which signal tables nobody hears, as they are not captured, or not with all of their columns."""
        lower = TableFilter.lower
        told = {
            lower(table): each
            for table, each in self._told.tables.items()
            if self._told.told_instance(table) != NO_INSTANCE
        }
        for table in signal_tables_of(self._settings) if self._lane.is_first else ():
            structure = told.get(lower(table))
            if structure is None:
                log.warning(
                    "the signal table %s is not captured, so nobody hears what is written to it: %s",
                    table,
                    setup_sql.enable_table(table),
                )
                continue
            heard = heard_columns(self._settings, structure.id, [column.name for column in structure.columns])
            if len(heard) != len(COLUMNS):
                log.warning("%s: %s", deaf(table, heard), ALL_THREE)

    def shown(self, progress: Progress) -> str:
        """The position of a progress, for people."""
        restart = POSITIONS.restart(progress.restart)
        return ", ".join(f"{name} {restart[name].lsn}" for name in restart)

    def take_structure(self, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch) -> bool:  # noqa: ARG002
        """None is taken over: change tables have their structure beside them."""
        if self._lane.is_first:
            log.warning(
                "a signal gives the structure of a table in %s, which is left out: a SQL Server's structures are read from its "
                "catalog",
                database,
            )
        return False

    def incremental_reader(self) -> SqlServerIncrementalReader:
        """What reads tables beside the log."""
        from tailrace.connectors.sqlserver.snapshots.incremental import SqlServerIncrementalReader  # rarely needed

        return SqlServerIncrementalReader(self._settings)
