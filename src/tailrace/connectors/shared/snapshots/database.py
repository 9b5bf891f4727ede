"""What a connector gives for one lane's part of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tailrace.connectors.shared.batches import Batch
from tailrace.events.event import Event
from tailrace.schema.tables import TableId
from tailrace.snapshot.source import Mark, Piece, SnapshotSource

TellStructure = Callable[[Batch, Mark], None]


class SnapshotDatabase(SnapshotSource, Protocol):
    """A database that is read as of P."""

    @property
    def chosen(self) -> frozenset[str]:
        """The tables of which a statement of the user's own chooses the rows."""

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""

    @property
    def begins_anew(self) -> Mapping[str, Any] | None:
        """The restart position that the rows are of, where another process can't go on and has to begin anew; else None."""

    def all_tables(self) -> Sequence[TableId]:
        """The tables of an initial snapshot, whichever lane reads them, in their order."""

    def clock(self) -> int:
        """The server's, in microseconds since the epoch, as events tell when rows were read."""

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of rows; `now_us` is the processing time, `read_us` when they were read, since the epoch."""

    def note_records(self, table: str, count: int, size: int) -> None:
        """So many rows of a table became events, which take about so many bytes."""

    def tell_first(self, batch: Batch) -> None:
        """Add what tells the structures of the beginning, but for the last event, whose mark depends on what follows."""

    def tell_last(self, batch: Batch, mark: Mark) -> None:
        """Add the last event of the structures."""

    def close(self) -> None:
        """Let go of the server."""


Opened = Callable[[Mapping[str, Any]], SnapshotDatabase]
"""Opens a database to read tables by their keys, the connector's own JSON by the tables' names; None: it has no key."""
