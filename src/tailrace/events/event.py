"""Events: what a connector yields, columns of one kind of thing each, before key, envelope and encoding.

Row changes (`shape.py`), transaction boundaries (`transactions.py`), schema changes, heartbeats and notifications.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


class Events(Protocol):
    """What the events of one batch are put into: a list, or what encodes each one as soon as it comes (`pipeline.py`)."""

    def append(self, event: Event, /) -> int | None:
        """Put another one behind the others; returns how many bytes it has become, None if it is not encoded yet."""

    def __len__(self) -> int:
        """How many were put in."""

    def __iter__(self) -> Iterator[Event]:
        """Those that are held: none, where each was encoded at once."""


NewEvents = Callable[[], Events]  # for each batch anew: a batch that is given up takes its events with it
