"""Events: what a connector yields, columns of one kind of thing each, before key, envelope and encoding.

Row changes (`shape.py`), transaction boundaries (`transactions.py`), schema changes, heartbeats and notifications.
"""

from __future__ import annotations

from typing import Protocol

from tailrace.changes.outline import Outline
from tailrace.changes.source_records import SourceRecords


class Event(Protocol):
    """Some things that happened, of one kind and for one topic, in log order.

    What it holds is valid until the next batch is asked for: text may stand in a buffer that is then filled anew.
    """

    def __len__(self) -> int:
        """How many records it becomes."""

    def outline(self) -> Outline:
        """What is known of their size."""

    def source_records(self) -> SourceRecords:
        """Its records with key and envelope, not yet encoded."""
