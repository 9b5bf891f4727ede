"""Places between windows of the logs, where tables may be read beside them."""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.base import Progress
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.connectors.change_tables.positions import Positions


@dataclass(frozen=True, slots=True)
class LogBoundary:
    """A place between windows, at least of some databases.

    Attributes:
        progress: of there.
        positions: reads it.

    """

    progress: Progress
    positions: Positions

    def has(self, database: str) -> bool:
        """Whether a database is read at all."""
        return database.lower() in map(str.lower, self.progress.restart)

    def lsn(self, database: str) -> Lsn | None:
        """Up to where all of a database is delivered, and nothing behind it; None where a window is delivered in part."""
        restart = self.positions.restart(self.progress.restart)
        position = restart[next(name for name in restart if name.lower() == database.lower())]
        return position.lsn if position.is_between_windows else None
