"""What a snapshot asks of a connector, and what it gives it to deliver."""

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
    """Debezium's `source.snapshot`, of a record of an initial snapshot."""

    FIRST = "first"
    FIRST_IN_DATA_COLLECTION = "first_in_data_collection"
    TRUE = "true"
    LAST_IN_DATA_COLLECTION = "last_in_data_collection"
    LAST = "last"


class ReadRows(Protocol):
    """Rows that were read."""

    @property
    def digests(self) -> Digests:
        """Of the rows' keys, shape (n, 2); in a table without a key, of whole rows."""

    def __len__(self) -> int: ...


class Chunk(ReadRows, Protocol):
    """Rows of one segment that were read, ascending by key in the database's order."""

    @property
    def is_last(self) -> bool:
        """Whether the segment's end was reached. One without rows that is not the last is asked for again, after the log."""

    def bound(self, row: int) -> Bound | None:
        """The key of one row."""


class View(Protocol):
    """A table without a key as it is at one place of the log."""

    @property
    def position(self) -> Mapping[str, Any] | None:
        """That place: up to there the log is to be read, and no further, before it is asked whether the view `holds`.

        None: there is no view, because the structure is changing. Another is to be opened after the log.
        """

    def holds(self) -> bool:
        """Whether the view may be used; False: another one is to be opened. To be asked once."""

    def rows(self) -> Iterator[ReadRows]:
        """All rows, in no order; to be asked for once."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of the log.

    Attributes:
        touches: what it says of the tables of the snapshot; a table may come more than once, then in log order.
        position: its end, from where the log can be read on, also by another process.
        altered: the tables of which the structure changed in it, or that came or went.

    """

    touches: Sequence[TableTouches]
    position: Mapping[str, Any]
    altered: frozenset[str] = frozenset()


class SnapshotSource(Protocol):
    """A connector's side of one lane's snapshot, opened at P."""

    def expect(self, segments: Iterable[Segment]) -> None:
        """What is left of the segments that are read next, one behind the other; they may be read ahead."""

    def read(self, segment: Segment) -> Chunk | None:
        """The next rows of a segment, after `segment.after`; None: the table is gone.

        The structure is looked up before the rows are read, so that every change of it either shows in the rows or is
        told by the `changes` that are asked for next. Rows may have been read before they are asked for, unless the log
        was read over a change of their table's structure since.
        """

    def has_room(self) -> bool:
        """Whether another chunk may be read before the log is.

        Chunks are held in memory until then, so this is for a log of which the head is known late.
        """

    def view(self, table: str) -> View | None:
        """A view of a table without a key, at a place where the log was not read yet, or up to where; None: it is gone."""

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:
        """The log from where the last call ended, at first from P, up to a position that was told before.

        None: up to the log's head, asked for when the first section is. Everything that the rows which were asked for
        saw must lie before this head. Nothing where there is nothing to read.
        """

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:
        """Which of these changes have a key before that lies in one of the intervals, in the database's order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one table as of P, to be delivered as read events.

    Attributes:
        table: its name.
        of: rows that were read, or changes, of which the images before are meant.
        rows: which of its rows or changes, shape (n,), at least one.
        mark: what their `source.snapshot` says.

    """

    table: str
    of: ReadRows | TableTouches
    rows: Rows
    mark: Mark = Mark.TRUE


@dataclass(frozen=True, slots=True)
class Wave:
    """What is to be delivered and the state that holds afterwards, in one transaction; waves may share one.

    Attributes:
        pieces: to be delivered.
        state: to be stored with them.
        is_open: this wave and the next one must share a transaction: the state does not tell what is delivered.

    """

    pieces: Sequence[Piece]
    state: SnapshotState
    is_open: bool = False
