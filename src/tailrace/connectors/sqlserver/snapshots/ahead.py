"""Chunks that are read ahead while the capture job is waited for, in the segment that was read last.

They belong to what is read next: the log that is read then reaches behind them. Where a structure has changed meanwhile they
are dropped, since the change is told with what came before them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from tailrace.connectors.shared.snapshots.chunks import ReadChunk, Unread
from tailrace.connectors.sqlserver.snapshots.blocks import ReadRows
from tailrace.snapshot.segments import Segment

Read = Callable[[Segment], ReadChunk | Unread | None]


class ReadAhead:
    """Of one lane; `read` reads the next rows of a segment."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._chunks: deque[tuple[Segment, ReadChunk]] = deque()
        self._next: Segment | None = None

    def read(self, segment: Segment) -> ReadChunk | Unread | None:
        """The next rows of a segment, which may have been read already."""
        if self._chunks and self._chunks[0][0] == segment:
            return self._chunks.popleft()[1]
        self.drop()
        chunk = self._read(segment)
        self._next = _behind(segment, chunk)
        return chunk

    def step(self) -> int:
        """Read one more chunk, if there is one to read; how many bytes it has."""
        segment, self._next = self._next, None
        chunk = None if segment is None else self._read(segment)
        if segment is None or not isinstance(chunk, ReadChunk):
            return 0  # what is gone or altered is told when it is asked for
        self._chunks.append((segment, chunk))
        self._next = _behind(segment, chunk)
        return size_of(chunk)

    def drop(self) -> None:
        """What was read ahead is worth nothing."""
        self._chunks.clear()
        self._next = None


def size_of(chunk: ReadChunk | Unread | None) -> int:
    """About how many bytes a chunk holds while it waits."""
    blocks = chunk.blocks if isinstance(chunk, ReadChunk) else ()
    return sum(block.held_bytes for block in blocks if isinstance(block, ReadRows))


def _behind(segment: Segment, chunk: ReadChunk | Unread | None) -> Segment | None:
    """What comes behind a chunk of a segment; None: nothing does, or the log has to come first."""
    if not isinstance(chunk, ReadChunk) or chunk.is_last or not len(chunk):
        return None
    return replace(segment, after=chunk.bound(len(chunk) - 1))
