"""Chunks that are read ahead, in the order in which they will be asked for, while capture is waited for.

Each has the number of a moment behind its reading (`moments.py`): its turn may come when capture has passed that. So reading
goes on while earlier chunks wait. Where a table's structure has changed its chunks are dropped, since the change is told with
what came before them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tailrace.snapshot.segments import Segment


@dataclass(slots=True)
class Waiting:
    """A chunk that was read ahead.

    Attributes:
        segment: of which it is the next rows.
        chunk: these; None: the table is gone.
        bytes: how many it holds.
        moment: the number of a moment of its database behind its reading; None: none was noted since.

    """

    segment: Segment
    chunk: Any
    bytes: int
    moment: int | None = None


class ReadAhead:
    """Of one lane.

    Attributes:
        bytes: how many are held.

    """

    def __init__(
        self, read: Callable[[Segment], Any], size_of: Callable[[Any], int], tried: Callable[[Segment], Any] | None = None
    ) -> None:
        """What reads the next rows of a segment.

        Args:
            read: where they are asked for.
            size_of: how many bytes they hold.
            tried: ahead, where nobody waits for them; None: as `read` does.

        """
        self._read = read
        self._tried = tried or read
        self._size_of = size_of
        self._waiting: deque[Waiting] = deque()
        self._expected: list[Segment] = []
        self._places: dict[_Place, int] = {}  # where a segment is among the expected ones
        self._at: _Place | None = None  # of which segment the last chunk is
        self._rest: Segment | None = None  # what is left of that
        self._is_halted = True  # until it is told what to expect
        self.bytes = 0

    @property
    def first(self) -> Waiting | None:
        """What is asked for next, if it is here."""
        return self._waiting[0] if self._waiting else None

    @property
    def unsettled(self) -> list[Waiting]:
        """Those behind which no moment was noted."""
        return [waiting for waiting in self._waiting if waiting.moment is None]

    def expect(self, segments: Iterable[Segment]) -> None:
        """These will be asked for, one behind the other: what is left of all that is not delivered."""
        self._expected = list(segments)
        self._places = {_place(segment): i for i, segment in enumerate(self._expected)}
        self._is_halted = False

    def take(self, segment: Segment) -> Waiting:
        """The next rows of a segment, which may have been read already; if others were, they are dropped."""
        if self._waiting and self._waiting[0].segment == segment:
            found = self._waiting.popleft()
            self.bytes -= found.bytes
            return found
        self._keep(0)
        return self._next(segment, self._read)

    def step(self) -> bool:
        """Read one more chunk; whether there was one.

        Where it could not be read it is left to the time when it is asked for: nothing more is read before `expect`.
        """
        segment = None if self._is_halted else self._rest or self._following
        if segment is None:
            return False
        self._is_halted = True
        found = self._next(segment, self._tried)
        if is_changing(found.chunk):
            return False
        self._is_halted = False
        self._waiting.append(found)
        self.bytes += found.bytes
        return True

    def drop(self, altered: Container[str]) -> None:
        """What was read of these tables is worth nothing, and with it what was read behind it."""
        kept = next((i for i, waiting in enumerate(self._waiting) if waiting.segment.table in altered), None)
        if kept is not None:
            self._keep(kept)

    def _keep(self, count: int) -> None:
        """So many of those that wait."""
        while len(self._waiting) > count:
            self.bytes -= self._waiting.pop().bytes
        self._at = self._rest = None
        if self._waiting:
            self._go_on_behind(self._waiting[-1].segment, self._waiting[-1].chunk)

    @property
    def _following(self) -> Segment | None:
        """The segment behind the one that was read to its end."""
        number = -1 if self._at is None else self._places.get(self._at, -1)
        return self._expected[number + 1] if number + 1 < len(self._expected) else None

    def _next(self, segment: Segment, read: Callable[[Segment], Any]) -> Waiting:
        chunk = read(segment)
        if not is_changing(chunk):
            self._go_on_behind(segment, chunk)
        return Waiting(segment, chunk, self._size_of(chunk))

    def _go_on_behind(self, segment: Segment, chunk: Any) -> None:
        self._at = _place(segment)
        is_through = chunk is None or chunk.is_last
        self._rest = None if is_through else replace(segment, after=chunk.bound(len(chunk) - 1))


def is_changing(chunk: Any) -> bool:
    """Whether it stands for rows that could not be read, as their table is changing: the log comes first."""
    return chunk is not None and not len(chunk) and not chunk.is_last


_Place = tuple[str, tuple[Any, ...] | None]


def _place(segment: Segment) -> _Place:
    """What tells the segments of a lane apart, however much of them is read."""
    return segment.table, None if segment.upto is None else tuple(segment.upto)
