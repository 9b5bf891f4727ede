"""Chunks: rows of a segment as they were read, a few blocks of columns in a row."""

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
    """Some rows that were read, in their order."""

    @property
    def columns(self) -> list[Vector | None]:
        """A vector for each column of the structure, None for one that is not wanted."""

    @property
    def rows(self) -> INT32:
        """Where each row's values are in these vectors, as they were made last; -1: it can't be shown. Shape (n,)."""

    @property
    def keys(self) -> Sequence[Vector]:
        """The columns of the key, as `key_bytes` takes them."""

    def __len__(self) -> int: ...


class ShownTable(Protocol):
    """A structure of a table, with what shows its rows."""

    @property
    def table(self) -> Table:
        """The structure."""

    @property
    def shape(self) -> Shape:
        """Of its read events."""


@dataclass(slots=True)
class ReadChunk:
    """Rows in the order of the key; of a table without a key, in no order.

    Attributes:
        table: how they are shown.
        blocks: the rows.
        is_last: the segment's end was reached.
        read_us: when they were read, microseconds since the epoch.
        digested: makes the digests of all rows.
        bound_at: the key of one row of a block; None where there is no key.
        starts: the first row of each block, and the number of rows.

    """

    table: ShownTable
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
        """Of the rows' keys, shape (n, 2); of whole rows where there is no key. They are made each time."""
        return self.digested(self.blocks)

    def bound(self, row: int) -> Bound | None:
        """The key of one row."""
        if self.bound_at is None:
            return None
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.bound_at(self.blocks[number], row - int(self.starts[number]))

    def parts(self, rows: Rows) -> Iterator[tuple[Block, Rows]]:
        """Some rows, block by block, as numbers within the block."""
        cuts = np.searchsorted(rows, self.starts)
        for block, start, first, last in zip(self.blocks, self.starts, cuts, cuts[1:], strict=False):
            if first < last:
                yield block, rows[first:last] - start


def key_digests(blocks: Sequence[Block]) -> Digests:
    """Of the keys of all rows of some blocks, shape (n, 2)."""
    found = [digests_of(key_bytes(block.keys)) for block in blocks]
    return np.concatenate(found) if found else np.empty((0, 2), np.uint64)


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
