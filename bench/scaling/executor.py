"""A modelled database as one lane of a snapshot sees it: rows without values, and a log that goes on with each chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np

from tailrace.connectors.shared.batches import Batch
from tailrace.connectors.shared.snapshots.chunk_sizes import ROWS_AT_MOST
from tailrace.events.event import Event
from tailrace.schema.tables import TableId
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import Rows, TableTouches
from tailrace.snapshot.key_set import Mask
from tailrace.snapshot.segments import Bound, Interval, Segment
from tailrace.snapshot.source import Mark, Piece, Section

_READ: Final[Digests] = np.arange(2, 2 + 2 * ROWS_AT_MOST, dtype=np.uint64).reshape(-1, 2)
_TOUCHED: Final = np.uint64(1 << 40)  # keys of changes begin here, so that none is a key of a chunk


@dataclass(frozen=True, slots=True)
class ModelChunk:
    """Rows of one segment, whose keys are the numbers after `after`."""

    after: int
    count: int
    is_last: bool

    def __len__(self) -> int:
        return self.count

    @property
    def digests(self) -> Digests:
        """Of keys that the log does not have."""
        return _READ[: self.count]

    def bound(self, row: int) -> Bound:
        """The key of one row."""
        return [self.after + row + 1]


class ModelSource:
    """A `LaneSource` of tables whose keys are the numbers from 1 on.

    Attributes:
        chunks: that were read.

    """

    chosen: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()

    def __init__(self, rows: Mapping[str, int], own: Sequence[str], *, touches_a_chunk: int) -> None:
        """A source.

        Args:
            rows: of all tables, by name.
            own: the lane's tables.
            touches_a_chunk: how many of these the log has a change of, after each chunk; one after the other.

        """
        self.chunks = 0
        self._rows = rows
        self._own = own
        self._touches = touches_a_chunk
        self._position = 0
        self._next = 0

    def expect(self, segments: Iterable[Segment]) -> None:
        """Do nothing."""

    def has_room(self) -> bool:
        """False: as with MySQL."""
        return False

    def read(self, segment: Segment) -> ModelChunk:
        """The next rows of a segment."""
        self.chunks += 1
        after = int(segment.after[0]) if segment.after else 0
        end = int(segment.upto[0]) if segment.upto else self._rows[segment.table]
        count = min(ROWS_AT_MOST, end - after)
        return ModelChunk(after, count, is_last=count < ROWS_AT_MOST)

    def view(self, table: str) -> None:
        """No table lacks a key."""
        raise KeyError(table)

    def changes(self, upto: Mapping[str, Any] | None) -> Iterator[Section]:  # noqa: ARG002
        """The log since the last chunk: a change of each of some tables."""
        if self._position == self.chunks:
            return
        self._position = self.chunks
        yield Section([self._touched() for _ in range(self._touches)], {"file": "mysql-bin.000001", "pos": self.chunks})

    def inside(self, touches: TableTouches, rows: Rows, intervals: Sequence[Interval]) -> Mask:  # noqa: ARG002
        """None of the changed rows was there at P in what is not read yet."""
        return np.zeros(len(rows), np.bool_)

    def note_records(self, table: str, count: int, size: int) -> None:
        """Do nothing: all chunks have the same number of rows."""

    def close(self) -> None:
        """Do nothing."""

    def _touched(self) -> TableTouches:
        """An update of a row of the next table."""
        self._next += 1
        key = np.full((1, 2), _TOUCHED + np.uint64(self._next % (1 << 16)), np.uint64)
        yes = np.ones(1, np.bool_)
        return TableTouches(self._own[self._next % len(self._own)], key, yes, key, yes, yes)


class ModelDatabase:
    """A `SnapshotDatabase` whose rows become no events."""

    new_snapshot_restart = None

    def __init__(self, source: ModelSource) -> None:
        self.source = source

    def all_tables(self) -> Sequence[TableId]:
        """No one is notified."""
        return ()

    def clock(self) -> int:
        """Of the server."""
        return 0

    def events(self, piece: Piece, now_us: int, read_us: int) -> Iterator[Event]:  # noqa: ARG002
        """None: rows are the executor's work, which is modelled."""
        return islice((), 0)

    def add_first_structures(self, batch: Batch) -> None:
        """None."""

    def add_last_structure(self, batch: Batch, mark: Mark) -> None:
        """None."""
