"""Chunks: rows of a segment as they were selected, a few blocks of columns in a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tailrace.connectors.mysql.selecting import SelectedRows, key_bytes
from tailrace.connectors.mysql.snapshots.read_tables import ReadTable
from tailrace.connectors.mysql.snapshots.stored_keys import bound_at
from tailrace.snapshot.digests import Digests, digests_of
from tailrace.snapshot.first_changes import Rows
from tailrace.snapshot.segments import Bound


@dataclass(slots=True)
class SelectedChunk:
    """Rows in the order of the key; of a table without a key, in no order.

    Attributes:
        table: how they were read, and how they are shown.
        blocks: the rows.
        is_last: the segment's end was reached.
        read_us: when they were read, microseconds since the epoch.
        digests: of the rows' keys, shape (n, 2); of whole rows where there is no key.
        starts: the first row of each block, and the number of rows.

    """

    table: ReadTable
    blocks: Sequence[SelectedRows]
    is_last: bool
    read_us: int
    digests: Digests
    starts: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.starts = np.cumsum([0, *map(len, self.blocks)])

    @classmethod
    def by_key(cls, table: ReadTable, blocks: Sequence[SelectedRows], is_last: bool, read_us: int) -> SelectedChunk:
        """Of a table with a key."""
        found = [digests_of(key_bytes(block.keys)) for block in blocks]
        return cls(table, blocks, is_last, read_us, np.concatenate(found) if found else np.empty((0, 2), np.uint64))

    def __len__(self) -> int:
        return int(self.starts[-1])

    def bound(self, row: int) -> Bound | None:
        """The key of one row."""
        key = self.table.key
        if key is None:
            return None
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        block = self.blocks[number]
        return bound_at(key, self.table.key_plans, block.keys, row - int(self.starts[number]))

    def parts(self, rows: Rows) -> Iterator[tuple[SelectedRows, Rows]]:
        """Some rows, block by block, as numbers within the block."""
        cuts = np.searchsorted(rows, self.starts)
        for block, start, first, last in zip(self.blocks, self.starts, cuts, cuts[1:], strict=False):
            if first < last:
                yield block, rows[first:last] - start


@dataclass(frozen=True, slots=True)
class Unread:
    """What stands for a chunk that could not be read, because the table is not what it was at H."""

    is_last: bool = False
    digests: Digests = field(default_factory=lambda: np.empty((0, 2), np.uint64))

    def __len__(self) -> int:
        return 0

    def bound(self, row: int) -> Bound | None:
        """It has no rows."""
        raise IndexError(row)
