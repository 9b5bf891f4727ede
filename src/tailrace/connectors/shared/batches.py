"""The events of one batch, collected while a block of the log is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.changes.outline import Sizes
from tailrace.events.event import Event, Events
from tailrace.signals.model import Signal


@dataclass(slots=True)
class Batch:
    """The events of a batch, with its figures.

    Attributes:
        now_us: the processing time, microseconds since the epoch.
        sizes: estimates the encoded size of events; None: no size is needed.
        events: so far, in the object that the reader was given for them.
        bytes: their size so far: encoded, or of those that are not, the larger of the columns and the estimated encoded size.
        changes: row changes that were read, before filters.
        source_ts_ms: the commit time of the newest change, milliseconds since the epoch; None if there is none.
        tables: how many runs of one table's rows were decoded.
        rank: the number of events before this one, which orders events of different topics.
        signals: of signal tables, in log order.

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
        """Add an event, unless it is empty."""
        if len(event):
            size = self.events.append(event)
            # What transforms dropped still counts with its columns: the batch ends, and its progress is stored.
            if self.sizes is not None:
                self.bytes += size or self.sizes.of(event.outline())

    def note_time(self, ts_ms: int) -> None:
        """Note the commit time of a change."""
        # Commit times need not ascend in the log.
        self.source_ts_ms = max(ts_ms, self.source_ts_ms or 0)
