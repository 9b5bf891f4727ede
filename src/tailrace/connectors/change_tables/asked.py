"""What requested work needs from the logs while they are read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from tailrace.connectors.base import Lane, Progress
from tailrace.connectors.change_tables.dialect import Catalogue
from tailrace.connectors.change_tables.log_boundary import LogBoundary
from tailrace.connectors.change_tables.positions import Positions
from tailrace.connectors.change_tables.signal_tables import deaf, heard_columns, is_captured
from tailrace.connectors.change_tables.told_structures import NO_INSTANCE, ToldStructures
from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.connectors.shared.snapshots.incremental import IncrementalReader
from tailrace.schema.tables import TableId
from tailrace.signals.table import COLUMNS

log = logging.getLogger(__name__)


class SignalledChangeTables:
    """A `SignalledLog`: the logs that a lane reads, with its tables and structures."""

    def __init__(
        self,
        catalogue: Catalogue[Any],
        incremental: Callable[[], IncrementalReader[LogBoundary]],
        lane: Lane,
        owns: Callable[[TableId], bool],
        told: ToldStructures,
    ) -> None:
        """The logs of a lane.

        Args:
            catalogue: of the database.
            incremental: makes the reader of incremental snapshots.
            lane: whose.
            owns: whether it delivers a table's topic.
            told: the known structures.

        """
        self._catalogue = catalogue
        self._settings = catalogue.settings
        self._incremental = incremental
        self._lane = lane
        self._owns = owns
        self._told = told

    def owns(self, table: TableId) -> bool:
        """Whether this lane delivers a table's topic."""
        return self._owns(table)

    def tables(self) -> list[TableId]:
        """The tables whose rows may be requested."""
        captured = [table for table in self._told.tables if self._told.told_instance(table) != NO_INSTANCE]
        return sorted(table for table in captured if is_captured(self._catalogue, table))

    def warn_of_deaf(self) -> None:
        """Warn about signal tables that are not captured, or not with all of their columns: no signal would arrive."""
        folded, advice = self._catalogue.folded, self._catalogue.advice
        told = {
            folded(table): each
            for table, each in self._told.tables.items()
            if self._told.told_instance(table) != NO_INSTANCE
        }
        for table in signal_tables_of(self._settings) if self._lane.is_first else ():
            structure = told.get(folded(table))
            if structure is None:
                log.warning(
                    "the signal table %s is not captured, so nobody hears what is written to it: %s",
                    table,
                    advice.first_instance(table),
                )
                continue
            heard = heard_columns(self._settings, structure.id, [column.name for column in structure.columns])
            if len(heard) != len(COLUMNS):
                log.warning("%s: %s", deaf(table, heard), advice.all_columns)

    def shown(self, progress: Progress) -> str:
        """The position of a progress, for people."""
        return Positions(self._catalogue.lsns).shown(progress.restart)

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
