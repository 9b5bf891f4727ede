"""Positions between windows of the logs, where an incremental snapshot can read tables."""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import Positions


@dataclass(frozen=True, slots=True)
class LogBoundary:
    """A position between windows, at least in some databases.

    Attributes:
        progress: at the position.
        positions: parses it.

    """

    progress: Progress
    positions: Positions

    def has(self, database: str) -> bool:
        """Whether the connector reads this database."""
        return database.lower() in map(str.lower, self.progress.restart)

    def lsn(self, database: str) -> Lsn | None:
        """The LSN up to which a database is delivered, with nothing after it; None if a window is delivered in part."""
        restart = self.positions.restart(self.progress.restart)
        position = restart[next(name for name in restart if name.lower() == database.lower())]
        return position.lsn if position.is_between_windows else None
