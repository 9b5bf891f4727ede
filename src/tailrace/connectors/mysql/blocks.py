"""Blocks: the log's bytes in large buffers, for a decoder that needs whole events.

A block is filled with everything available, up to its limit. The rest that the decoder leaves, the beginning of an incomplete
event, moves to the front before the next filling. The buffer is reused: views of it must be
finished with by then, unless each block is `kept`.
"""

from __future__ import annotations

import sys
from time import monotonic
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.stream import BinlogStream
from tailrace.errors import RetriableError

SMALLEST: Final = 2 << 20
LARGEST: Final = 16 << 20
FEWEST: Final = 512 << 10  # bytes that a filling may always have, however long their records are
SPARE: Final = 1 << 10
TABLES_A_BLOCK: Final = 64  # with more tables in it a block gets longer, or a table's batches were too short
LARGE_BATCH: Final = 64 << 20  # bytes of records: then a batch ends before its block does
AIMED_BATCH: Final = 16 << 20
"""Bytes of records that come of one block of few tables. A task has two or three batches in memory at a time."""
LARGEST_BATCH: Final = 6 * LARGE_BATCH  # of many tables, whose rows are decoded together: so much may come of one block
PORTION: Final = 256 << 10
"""Bytes; if so many came at once they are of a backlog, which a server sends in portions with short pauses between."""
PATIENCE_MS: Final = 4  # of one pause
LONGEST_PAUSES: Final = 0.04  # seconds of one filling, all pauses together; reading itself does not count


class Blocks:
    """A buffer between a stream and a decoder."""

    def __init__(self, stream: BinlogStream, size: int = SMALLEST, *, kept: bool = False) -> None:
        """`kept`: each block has its own memory, for callers that use decoded views later."""
        self._stream = stream
        self._smallest = self._aimed = size
        self.data: Bytes = np.empty(size, np.uint8)
        self.start = 0
        self.end = 0
        self._kept = kept
        self._lost: RetriableError | None = None
        self._paused = 0.0  # seconds, in this filling
        self._limit = sys.maxsize
        self._needed = 0
        self._room = size  # where this filling ends at the latest

    def fill(self, wait_ms: int) -> bool:
        """Read until the block is full or nothing more is available; False when nothing came within `wait_ms`."""
        if self._lost is not None:
            raise self._lost
        self._move_to_front()
        self._room = min(len(self.data), max(self.end + self._limit, self._needed))
        view = self.data.data[: self._room]
        count = self._stream.read(view[self.end :], wait_ms)
        came, self._paused = count > 0, 0.0
        while count:
            self.end += count
            count = 0 if self.full else self._more(view[self.end :])
        return came

    @property
    def full(self) -> bool:
        """Whether more may be waiting than the block could take."""
        return self.end == self._room

    @property
    def at_head(self) -> bool:
        """Whether nothing more was waiting and everything is used; in a backlog reads end within an event."""
        return not self.full and self.start == self.end

    def used(self, consumed: int, needed: int) -> None:
        """Drop the bytes before `consumed`; the decoder needs `needed` bytes from there for one more event."""
        self.start, self._needed = consumed, needed
        if needed > len(self.data):
            self._resize(needed + SPARE)
        elif len(self.data) > 2 * self._aimed and needed <= self._aimed:
            self._resize(self._aimed)  # the long event is done, and as many bytes of short rows would be too much

    def fit(self, consumed: int, became: int, tables: int) -> None:
        """Make the next block as long as is good for batches.

        Args:
            consumed: bytes of the block before that were decoded.
            became: bytes of the records that came of them.
            tables: whose rows were among them.

        """
        if consumed < PORTION:
            return  # at the log's head: too few to tell
        wanted = tables * self._smallest // TABLES_A_BLOCK
        largest = AIMED_BATCH if wanted <= self._smallest else LARGEST_BATCH
        longest = consumed * largest // max(became, 1)
        self.resize(min(wanted, longest))
        self.limit(longest)

    def resize(self, size: int) -> None:
        """Resize the buffer to about this size, within limits: many tables at once need long blocks."""
        self._aimed = max(self._aimed, min(size, LARGEST))
        if self._aimed > len(self.data):
            self._resize(self._aimed)

    def limit(self, size: int) -> None:
        """Read at most about this many bytes with each filling from now on, but whole events and no less than `FEWEST`."""
        self._limit = max(FEWEST, size)

    def _more(self, view: memoryview) -> int:
        """Read what else is available; a lost connection is raised only after the earlier bytes are decoded."""
        try:
            return self._stream.read(view, 0) or self._after_a_pause(view)
        except RetriableError as error:
            self._lost = error
            return 0

    def _after_a_pause(self, view: memoryview) -> int:
        """Wait for the next portion of a backlog, if a block that should be long would be short without it."""
        is_short = self._smallest < self._aimed and PORTION <= self.end < self._aimed * 3 // 4
        if not is_short or self._paused >= LONGEST_PAUSES:
            return 0
        began = monotonic()
        count = self._stream.read(view, PATIENCE_MS)
        self._paused += monotonic() - began
        return count

    def _resize(self, size: int) -> None:
        left = self.end - self.start
        fresh = np.empty(max(size, left), np.uint8)
        fresh[:left] = self.data[self.start : self.end]
        self.data, self.start, self.end = fresh, 0, left

    def _move_to_front(self) -> None:
        left = self.end - self.start
        if self._kept and self.start:
            self._resize(len(self.data))
        elif self.start:
            self.data[:left] = self.data[self.start : self.end].copy()
        self.start, self.end = 0, left
