"""Chunks: rows of a segment, as a sequence of blocks of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Vector
from tailrace.events.shape import Shape
from tailrace.schema.tables import Table
from tailrace.snapshot.digests import Digests, digests_of
from tailrace.snapshot.first_changes import Rows
from tailrace.snapshot.key_bytes import key_bytes
from tailrace.snapshot.segments import Bound


class Block(Protocol):
    """A block of rows, in reading order."""

    @property
    def columns(self) -> list[Vector | None]:
        """A vector for each column of the structure; None if the column is not needed."""

    @property
    def rows(self) -> INT32:
        """Index of each row in the vectors of the last `columns`; -1: the row can't be delivered. Shape (n,)."""

    @property
    def keys(self) -> Sequence[Vector]:
        """The columns of the key, as `key_bytes` takes them."""

    def __len__(self) -> int: ...


class ShapedTable(Protocol):
    """A table's structure, with the shape of its read events."""

    @property
    def table(self) -> Table:
        """The structure."""

    @property
    def shape(self) -> Shape:
        """The shape of its read events."""


@dataclass(slots=True)
class ReadChunk:
    """Rows in key order; those of a table without a key are in no order.

    Attributes:
        table: its structure and shape.
        blocks: the rows.
        is_last: whether the segment's end was reached.
        read_us: the read time, microseconds since the epoch.
        digested: makes the digests of the rows of blocks.
        bound_at: the key of one row of a block; None for a table without a key.
        starts: the number of each block's first row, then the number of all rows.

    """

    table: ShapedTable
    blocks: Sequence[Block]
    is_last: bool
    read_us: int
    digested: Callable[[Sequence[Any]], Digests]
    bound_at: Callable[[Any, int], Bound | None] | None = None
    starts: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.starts = np.cumsum([0, *map(len, self.blocks)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def digests(self) -> Digests:
        """Digests of the rows' keys, shape (n, 2); of whole rows if there is no key. Each access computes them again."""
        return self.digested(self.blocks)

    def bound(self, row: int) -> Bound | None:
        """The key of one row; None for a table without a key."""
        if self.bound_at is None:
            return None
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.bound_at(self.blocks[number], row - int(self.starts[number]))

    def parts(self, rows: Rows) -> Iterator[tuple[Block, Rows]]:
        """Split ascending row numbers by block, as numbers within the block."""
        cuts = np.searchsorted(rows, self.starts)
        for block, start, first, last in zip(self.blocks, self.starts, cuts, cuts[1:], strict=False):
            if first < last:
                yield block, rows[first:last] - start


def key_digests(blocks: Sequence[Block]) -> Digests:
    """Digests of the keys of all rows of blocks, shape (n, 2)."""
    found = [digests_of(key_bytes(block.keys)) for block in blocks]
    return np.concatenate(found) if found else np.empty((0, 2), np.uint64)


@dataclass(frozen=True, slots=True)
class Unread:
    """Stands for a chunk that could not be read, because the table's structure changed after the log position H.

    It is empty and not the last, so that the segment is read again after the log.
    """

    is_last: bool = False
    digests: Digests = field(default_factory=lambda: np.empty((0, 2), np.uint64))

    def __len__(self) -> int:
        return 0

    def bound(self, row: int) -> Bound | None:
        """Raise `IndexError`: there are no rows."""
        raise IndexError(row)
