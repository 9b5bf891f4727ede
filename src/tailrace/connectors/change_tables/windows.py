"""Windows: ranges of a log that begin and end between transactions."""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.change_tables.lsn import Lsn


@dataclass(frozen=True, slots=True)
class Window:
    """The transactions of a log after `after`, up to and including `until`."""

    after: Lsn
    until: Lsn

    @property
    def is_empty(self) -> bool:
        """Whether it can't contain a transaction."""
        return self.after >= self.until

    def cut(self, start: Lsn | None, stop: Lsn | None) -> Window:
        """Its part from `start` on and before `stop`; None: no limit."""
        after = self.after if start is None else max(self.after, start.previous())
        return Window(after, self.until if stop is None else min(self.until, stop.previous()))
