"""The schema-change events of the tables that a blocking snapshot reads, from the schema history."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.connectors.base import HistoryRecord
from tailrace.connectors.change_tables.announced_structures import AnnouncedStructures
from tailrace.connectors.change_tables.dialect import Events
from tailrace.connectors.change_tables.positions import RestartPosition
from tailrace.connectors.shared.batches import Batch
from tailrace.schema.tables import TableId
from tailrace.snapshot.source import Mark


class NamedStructures:
    """The schema-change events of the tables that a signal names, like those of an initial snapshot for all tables."""

    def __init__(
        self,
        events: Events,
        history: Sequence[HistoryRecord],
        restart: RestartPosition,
        tables: Sequence[TableId],
    ) -> None:
        """`history`: up to the position; `tables`: in any order."""
        self._restart = restart
        self._announced = AnnouncedStructures(events, history)
        wanted = frozenset(tables) if events.settings.include_schema_changes else frozenset()
        self._events = [
            (name, event)
            for name in restart
            for event in self._announced.initial_events(name)
            if wanted.intersection(change.id for change in event.changes if change.id is not None)
        ]

    @property
    def has_any(self) -> bool:
        """Whether there are any."""
        return bool(self._events)

    def add_all(self, batch: Batch) -> None:
        """Add all of them, with marks that do not depend on the rows that follow."""
        self.add_first(batch)
        self.add_last(batch, Mark.TRUE)

    def add_first(self, batch: Batch) -> None:
        """Add all but the last one."""
        for name, event in self._events[:-1]:
            self._announced.add_events([event], self._restart[name].lsn, batch, Mark.TRUE.value)

    def add_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last one, with its mark."""
        for name, event in self._events[-1:]:
            self._announced.add_events([event], self._restart[name].lsn, batch, mark.value)
