"""What requested work needs from the logs while they are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables.announced_structures import NO_INSTANCE, AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Catalogue
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.signal_tables import incomplete_signal_table, is_captured, signal_columns
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.schema.tables import TableId
from tailrace.signals.table import COLUMNS

log = logging.getLogger(__name__)


class ChangeTablesRequestedWorkLog:
    """A `RequestedWorkLog`: the logs that a lane reads, with its tables and structures."""

    def __init__(
        self,
        catalogue: Catalogue[Any],
        incremental: Callable[[], IncrementalReader[LogBoundary]],
        lane: Lane,
        owns: Callable[[TableId], bool],
        announced: AnnouncedStructures,
    ) -> None:
        """The logs of a lane.

        Args:
            catalogue: of the database.
            incremental: makes the reader of incremental snapshots.
            lane: whose.
            owns: whether it delivers a table's topic.
            announced: the known structures.

        """
        self._catalogue = catalogue
        self._settings = catalogue.settings
        self._incremental = incremental
        self._lane = lane
        self._owns = owns
        self._announced = announced

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""
        return self._owns(table)

    def tables(self) -> list[TableId]:
        """The tables whose rows may be requested."""
        captured = [
            table for table in self._announced.tables if self._announced.announced_instance(table) != NO_INSTANCE
        ]
        return sorted(table for table in captured if is_captured(self._catalogue, table))

    def warn_of_uncaptured_signal_tables(self) -> None:
        """Warn about signal tables that are not captured, or not with all of their columns: no signal would arrive."""
        folded, advice = self._catalogue.folded, self._catalogue.advice
        announced = {
            folded(table): each
            for table, each in self._announced.tables.items()
            if self._announced.announced_instance(table) != NO_INSTANCE
        }
        for table in signal_tables_of(self._settings) if self._lane.is_first else ():
            structure = announced.get(folded(table))
            if structure is None:
                log.warning(
                    "the signal table %s is not captured, so nobody hears what is written to it: %s",
                    table,
                    advice.first_instance(table),
                )
                continue
            columns_read = signal_columns(self._settings, structure.id, [column.name for column in structure.columns])
            if len(columns_read) != len(COLUMNS):
                log.warning("%s: %s", incomplete_signal_table(table, columns_read), advice.all_columns)

    def position_text(self, progress: Progress) -> str:
        """The position of a progress, for people."""
        return Positions(self._catalogue.lsns).restart_text(progress.restart)

    def take_structure(self, database: str, change: Mapping[str, Any], progress: Progress, batch: Batch) -> bool:  # noqa: ARG002
        """Refuse a structure that a signal brings: the catalogue has the structures of change tables."""
        if self._lane.is_first:
            log.warning(
                "a signal gives the structure of a table in %s, which is left out: %s",
                database,
                self._catalogue.advice.own_structures,
            )
        return False

    def incremental_reader(self) -> IncrementalReader[LogBoundary]:
        """The reader of incremental snapshots."""
        return self._incremental()
