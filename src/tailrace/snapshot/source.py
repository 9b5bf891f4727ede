"""The interface between snapshots and connectors: what a snapshot reads, and what it returns for delivery."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Bound, Interval, Segment
from tailrace.snapshot.state import SnapshotState


class Mark(enum.Enum):
    """Debezium's `source.snapshot` in records of an initial snapshot."""

    FIRST = "first"
    FIRST_IN_DATA_COLLECTION = "first_in_data_collection"
    TRUE = "true"
    LAST_IN_DATA_COLLECTION = "last_in_data_collection"
    LAST = "last"


class ReadRows(Protocol):
    """Rows that were read."""

    @property
    def digests(self) -> Digests:
        """Digests of the rows' keys, shape (n, 2); for a table without a key, of whole rows."""

    def __len__(self) -> int: ...


class Chunk(ReadRows, Protocol):
    """Rows of one segment that were read, ascending by key in the database's order."""

    @property
    def is_last(self) -> bool:
        """Whether the segment's end was reached. An empty chunk that is not the last is read again, after the log."""

    def bound(self, row: int) -> Bound | None:
        """The key of one row."""


class View(Protocol):
    """A table without a key as of one position of the log."""

    @property
    def position(self) -> Mapping[str, Any] | None:
        """The view's position: read the log exactly up to there before you call `holds`.

        None: there is no view, because the structure is changing. Read the log, then open another.
        """

    def holds(self) -> bool:
        """Whether the view may be used; if not, open another one. Call it once."""

    def rows(self) -> Iterator[ReadRows]:
        """All rows, in no order; call it once."""

    def close(self) -> None:
        """Release the view's transaction and connection."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the log.

    Attributes:
        touches: changes to the snapshot's tables; a table may come more than once, then in log order.
        position: its end, from where any process can continue to read the log.
        altered: the tables whose structure changed in it, or that were created or dropped.

    """

    touches: Sequence[TableTouches]
    position: Mapping[str, Any]
    altered: frozenset[str] = frozenset()


class SnapshotSource(Protocol):
    """A connector's side of one lane's snapshot, opened at P."""

    def expect(self, segments: Iterable[Segment]) -> None:
        """Announce the rest of the segments that are read next, in order; the source may read them ahead."""

    def read(self, segment: Segment) -> Chunk | None:
        """The next rows of a segment, after `segment.after`; None: the table is gone.

        The structure is looked up before the rows are read, so that every change of it either shows in the rows or
        comes with the next call of `changes`. Rows may have been read ahead, unless the log
        was since read past a change of their table's structure.
        """

    def has_room(self) -> bool:
        """Whether another chunk may be read before the log.

        Chunks are held in memory until then, so this is for a log whose head is known late.
        """

    def view(self, table: str) -> View | None:
        """A view of a table without a key, at or after the position that the log was read to; None: it is gone."""

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended, at first from P, up to a position that this source returned before.

        None: up to the log's head, determined when the first section is requested. Everything that the requested rows
        saw must lie before this head. Yields nothing if there is nothing to read.
        """

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a before key in one of the intervals, in the database's order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one table as of P, to be delivered as read events.

    Attributes:
        table: its name.
        of: rows that were read, or changes, whose before images are delivered.
        rows: indices of its rows or changes, shape (n,), at least one.
        mark: the value of their `source.snapshot`.

    """

    table: str
    of: ReadRows | TableTouches
    rows: Rows
    mark: Mark = Mark.TRUE


@dataclass(frozen=True, slots=True)
class Wave:
    """Pieces to deliver and the state after them, for one transaction; waves may share one.

    Attributes:
        pieces: to be delivered.
        state: to be stored with them.
        is_open: this wave and the next one must share a transaction: the state does not say what is delivered.

    """

    pieces: Sequence[Piece]
    state: SnapshotState
    is_open: bool = False
