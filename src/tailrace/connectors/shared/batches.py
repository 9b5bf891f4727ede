"""What is gathered of one batch while a block of the log is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.changes.outline import Sizes
from tailrace.events.event import Event, Events
from tailrace.signals.model import Signal


@dataclass(slots=True)
class Batch:
    """Events, and what is told of them.

    Attributes:
        now_us: processing time, microseconds since the epoch.
        sizes: reckons how large events are; None: nobody wants to know.
        events: so far; those that the reader of batches was given for it.
        bytes: the larger of what they take as columns, and about what they take encoded.
        changes: row changes read, before filters.
        source_ts_ms: when the newest was committed; None while there is none.
        tables: how often rows of a table were decoded together.
        rank: how many events came before, for the order among topics.
        signals: what rows of signal tables ask, in log order.

    """

    now_us: int
    sizes: Sizes | None = None
    events: Events = field(default_factory=list[Event])
    bytes: int = 0
    changes: int = 0
    source_ts_ms: int | None = None
    tables: int = 0
    rank: int = 0
    signals: list[Signal] = field(default_factory=list)

    def add(self, event: Event) -> None:
        """Take another event in, if there is anything in it."""
        if len(event):
            self.events.append(event)
            if self.sizes is not None:
                self.bytes += self.sizes.of(event.outline())

    def note_time(self, ts_ms: int) -> None:
        """A change was committed then."""
        self.source_ts_ms = max(ts_ms, self.source_ts_ms or 0)
