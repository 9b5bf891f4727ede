"""Chunks that are read ahead, in the order in which they will be requested, while capture is waited for.

Each has the number of a time after its read (`read_times.py`): it can be delivered when capture has passed that. So
reading continues while earlier chunks wait. If a table's structure changed, its chunks are dropped, because the change
comes with the log before them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tailrace.snapshot.segments import Segment


@dataclass(slots=True)
class PendingChunk:
    """A chunk that was read ahead.

    Attributes:
        segment: whose next rows it has.
        chunk: the rows; None: the table is gone.
        bytes: its size.
        moment: the number of a time noted after its read; None: none was noted since.

    """

    segment: Segment
    chunk: Any
    bytes: int
    moment: int | None = None


class ReadAhead:
    """The chunks of one lane that are read ahead.

    Attributes:
        bytes: their size.

    """

    def __init__(
        self, read: Callable[[Segment], Any], size_of: Callable[[Any], int], tried: Callable[[Segment], Any] | None = None
    ) -> None:
        """Without any chunk.

        Args:
            read: reads the next rows of a segment when they are requested.
            size_of: the size of a chunk in bytes.
            tried: the same for reading ahead, when no one waits for the rows; None: `read`.

        """
        self._read = read
        self._tried = tried or read
        self._size_of = size_of
        self._waiting: deque[PendingChunk] = deque()
        self._expected: list[Segment] = []
        self._places: dict[_Place, int] = {}  # the index of each expected segment
        self._at: _Place | None = None  # the segment of the last chunk
        self._rest: Segment | None = None  # the unread rest of that segment
        self._is_halted = True  # until `expect` is called
        self.bytes = 0

    @property
    def first(self) -> PendingChunk | None:
        """The chunk that is requested next, if it was read."""
        return self._waiting[0] if self._waiting else None

    @property
    def unsettled(self) -> list[PendingChunk]:
        """The chunks after which no time was noted."""
        return [waiting for waiting in self._waiting if waiting.moment is None]

    def expect(self, segments: Iterable[Segment]) -> None:
        """Announce the segments that will be requested, in order: the rest of everything that is not delivered."""
        self._expected = list(segments)
        self._places = {_place(segment): i for i, segment in enumerate(self._expected)}
        self._is_halted = False

    def take(self, segment: Segment) -> PendingChunk:
        """The next rows of a segment, read ahead or now; if other rows were read ahead, they are dropped."""
        if self._waiting and self._waiting[0].segment == segment:
            found = self._waiting.popleft()
            self.bytes -= found.bytes
            return found
        self._keep(0)
        return self._next(segment, self._read)

    def step(self) -> bool:
        """Read one more chunk ahead; returns whether there was one.

        A chunk that can't be read is left until it is requested: nothing more is read ahead before `expect`.
        """
        segment = None if self._is_halted else self._rest or self._following
        if segment is None:
            return False
        # Set before the read, so that it holds if the read raises: the error comes again when the chunk is requested.
        self._is_halted = True
        found = self._next(segment, self._tried)
        if is_changing(found.chunk):
            return False
        self._is_halted = False
        self._waiting.append(found)
        self.bytes += found.bytes
        return True

    def drop(self, altered: Container[str]) -> None:
        """Drop the chunks of these tables, and all after them, because chunks are taken in order."""
        kept = next((i for i, waiting in enumerate(self._waiting) if waiting.segment.table in altered), None)
        if kept is not None:
            self._keep(kept)

    def _keep(self, count: int) -> None:
        """Keep the first `count` chunks."""
        while len(self._waiting) > count:
            self.bytes -= self._waiting.pop().bytes
        self._at = self._rest = None
        if self._waiting:
            self._go_on_behind(self._waiting[-1].segment, self._waiting[-1].chunk)

    @property
    def _following(self) -> Segment | None:
        """The segment after the one that was read to its end."""
        number = -1 if self._at is None else self._places.get(self._at, -1)
        return self._expected[number + 1] if number + 1 < len(self._expected) else None

    def _next(self, segment: Segment, read: Callable[[Segment], Any]) -> PendingChunk:
        chunk = read(segment)
        if not is_changing(chunk):
            self._go_on_behind(segment, chunk)
        return PendingChunk(segment, chunk, self._size_of(chunk))

    def _go_on_behind(self, segment: Segment, chunk: Any) -> None:
        self._at = _place(segment)
        is_through = chunk is None or chunk.is_last
        self._rest = None if is_through else replace(segment, after=chunk.bound(len(chunk) - 1))


def is_changing(chunk: Any) -> bool:
    """Whether a chunk stands for rows that could not be read because the table is changing: the log comes first."""
    return chunk is not None and not len(chunk) and not chunk.is_last


_Place = tuple[str, tuple[Any, ...] | None]


def _place(segment: Segment) -> _Place:
    """Identifies a segment of a lane, however much of it is read."""
    return segment.table, None if segment.upto is None else tuple(segment.upto)
