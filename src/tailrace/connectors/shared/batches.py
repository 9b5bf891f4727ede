"""What is gathered of one batch while a block of the log is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.changes.records import Records
from tailrace.signals.model import Signal


@dataclass(slots=True)
class Batch:
    """Records, and what is told of them.

    Attributes:
        now_us: processing time, microseconds since the epoch.
        records: so far.
        bytes: of their keys and values.
        changes: row changes read, before filters.
        source_ts_ms: when the newest was committed; None while there is none.
        tables: how often rows of a table were decoded together.
        rank: how many events came before, for the order among topics.
        signals: what rows of signal tables ask, in log order.

    """

    now_us: int
    records: list[Records] = field(default_factory=list)
    bytes: int = 0
    changes: int = 0
    source_ts_ms: int | None = None
    tables: int = 0
    rank: int = 0
    signals: list[Signal] = field(default_factory=list)

    def add(self, records: Records) -> None:
        """Take more records in, if there are any."""
        if len(records):
            self.records.append(records)
            self.bytes += int(records.keys.offsets[-1]) + int(records.values.offsets[-1])

    def note_time(self, ts_ms: int) -> None:
        """A change was committed then."""
        self.source_ts_ms = max(ts_ms, self.source_ts_ms or 0)
