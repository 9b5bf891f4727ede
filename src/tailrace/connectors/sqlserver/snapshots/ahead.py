"""Chunks that are read ahead, in the order in which they will be asked for, while the capture job is waited for.

Each has the number of a moment behind its reading (`moments.py`): its turn may come when the job has passed that. So reading
goes on while earlier chunks wait or are delivered, and no chunk waits twice. Where a structure has changed they are dropped,
since the change is told with what came before them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tailrace.snapshot.segments import Bound, Segment


@dataclass(slots=True)
class Waiting:
    """A chunk that was read ahead.

    Attributes:
        segment: of which it is the next rows.
        chunk: these.
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

    def __init__(self, read: Callable[[Segment], Any], size_of: Callable[[Any], int]) -> None:
        """`read` reads the next rows of a segment, `size_of` says how many bytes they hold."""
        self._read = read
        self._size_of = size_of
        self._waiting: deque[Waiting] = deque()
        self._expected: list[Segment] = []
        self._places: dict[tuple[str, _Frozen], int] = {}  # where a segment is among the expected ones
        self._at: tuple[str, _Frozen] | None = None  # of which segment the last chunk is
        self._rest: Segment | None = None  # what is left of that
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

    def take(self, segment: Segment) -> Waiting:
        """The next rows of a segment, which may have been read already; if others were, they are dropped."""
        if self._waiting and self._waiting[0].segment == segment:
            found = self._waiting.popleft()
            self.bytes -= found.bytes
            return found
        self._forget()
        return self._next(segment)

    def step(self) -> bool:
        """Read one more chunk; whether there was one."""
        segment = self._rest or self._following
        found = None if segment is None else self._next(segment)
        if found is None or not is_read(found.chunk):
            self.expect(())  # what is gone or altered is told when it is asked for
            self._rest = None
            return False
        self._waiting.append(found)
        self.bytes += found.bytes
        return True

    def drop(self) -> None:
        """What was read ahead is worth nothing, and what comes next is told anew."""
        self._forget()
        self.expect(())

    def _forget(self) -> None:
        self._waiting.clear()
        self._rest = self._at = None
        self.bytes = 0

    @property
    def _following(self) -> Segment | None:
        """The segment behind the one that was read to its end."""
        number = -1 if self._at is None else self._places.get(self._at, -1)
        return self._expected[number + 1] if number + 1 < len(self._expected) else None

    def _next(self, segment: Segment) -> Waiting:
        chunk = self._read(segment)
        self._at = _place(segment)
        goes_on = is_read(chunk) and not chunk.is_last
        self._rest = replace(segment, after=chunk.bound(len(chunk) - 1)) if goes_on else None
        return Waiting(segment, chunk, self._size_of(chunk))


def is_read(chunk: Any) -> bool:
    """Whether a chunk has rows, or says that there are none; not where the table is gone, or is changing."""
    return chunk is not None and (len(chunk) > 0 or bool(chunk.is_last))


_Frozen = tuple[Any, ...] | None


def _place(segment: Segment) -> tuple[str, _Frozen]:
    """What tells the segments of a lane apart, however much of them is read."""
    upto: Bound | None = segment.upto
    return segment.table, None if upto is None else tuple(upto)
