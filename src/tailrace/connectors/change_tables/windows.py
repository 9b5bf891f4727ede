"""Windows: pieces of a log, cut between transactions."""

from __future__ import annotations

from dataclasses import dataclass

from tailrace.connectors.change_tables.lsn import Lsn


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a log: the transactions behind `after`, up to and with `until`."""

    after: Lsn
    until: Lsn

    @property
    def is_empty(self) -> bool:
        """Whether no transaction can lie in it."""
        return self.after >= self.until

    def cut(self, start: Lsn | None, stop: Lsn | None) -> Window:
        """What of it lies at or behind `start` and before `stop`; None: no limit."""
        after = self.after if start is None else max(self.after, start.previous())
        return Window(after, self.until if stop is None else min(self.until, stop.previous()))
