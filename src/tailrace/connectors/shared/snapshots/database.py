"""What a connector supplies for one lane's part of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from tailrace.connectors.shared.batches import Batch
from tailrace.events.event import Event
from tailrace.schema.tables import TableId
from tailrace.snapshot.source import Mark, Piece, SnapshotSource

AddStructure = Callable[[Batch, Mark], None]


class LaneSource(SnapshotSource, Protocol):
    """Reads the rows of some tables, and their changes in the log, from P on."""

    @property
    def chosen(self) -> frozenset[str]:
        """The tables of which only some rows are read, by a statement or condition that images don't show."""

    @property
    def whole(self) -> frozenset[str]:
        """The tables without a key."""

    def note_records(self, table: str, count: int, size: int) -> None:
        """Note that `count` rows of a table became events of about `size` bytes."""

    def close(self) -> None:
        """Close the connection."""


class SnapshotDatabase(Protocol):
    """A database, read as of P: the source of the rows, and the events that they become."""

    @property
    def source(self) -> LaneSource:
        """The source of the rows."""

    @property
    def new_snapshot_restart(self) -> Mapping[str, Any] | None:
        """The restart position of the rows, if another process can't resume and must begin a new snapshot; else None.

        A snapshot can't be resumed if its rows are those of one transaction, which ends with its process.
        """

    def all_tables(self) -> Sequence[TableId]:
        """The tables of an initial snapshot in reading order, those of all lanes."""

    def clock(self) -> int:
        """The server's clock, microseconds since the epoch, as events have it for the read time."""

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:
        """The read events of rows.

        `now_us` is the processing time, `read_us` the read time, microseconds since the epoch.
        """

    def add_first_structures(self, batch: Batch) -> None:
        """Add the initial schema-change events but the last one, whose mark depends on what follows."""

    def add_last_structure(self, batch: Batch, mark: Mark) -> None:
        """Add the last schema-change event, with its mark."""


Opened = Callable[[Mapping[str, Any]], SnapshotDatabase]
"""Opens a database. Argument: by table name, the key (the connector's own JSON), None for a table without one."""
