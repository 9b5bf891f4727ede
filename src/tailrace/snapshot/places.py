"""The unread rest of a lane's segments, in reading order.

A source may have ten thousand tables, and a state is made after each chunk. So what that costs must not grow with the tables
that are still waiting, nor with those that are done: places that were begun are kept apart, and the others are as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tailrace.snapshot.segments import Segment


@dataclass(slots=True, eq=False)
class Place:
    """The unread rest of a segment; `number`: which of the lane's it is."""

    number: int
    rest: Segment
    ended: bool = False


class Places:
    """All places of a lane.

    Attributes:
        through: tables without an unread place whose end the lane has not dealt with.

    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = tuple(segments)
        self._all = [Place(number, segment) for number, segment in enumerate(segments)]
        self._of: dict[str, list[Place]] = {}
        for place in self._all:
            self._of.setdefault(place.rest.table, []).append(place)
        self._left = Counter({table: len(places) for table, places in self._of.items()})
        self._begun: list[Place] = []
        self._front = 0  # places from here on are not begun
        self._waiting = self._segments
        self.through: dict[str, None] = {}

    def __iter__(self) -> Iterator[Place]:
        """The unread ones."""
        yield from (place for place in self._begun if not place.ended)
        yield from (self._all[number] for number in range(self._front, len(self._all)))

    @property
    def begun(self) -> Sequence[Place]:
        """Those that are partly read, or of which a row is held."""
        return self._begun

    def of(self, table: str) -> Sequence[Place]:
        """All places of a table."""
        return self._of.get(table, ())

    def begin(self, place: Place) -> None:
        """Note that a place is being read: it may change from now on."""
        if place.number < self._front:
            return
        self._begun += self._all[self._front : place.number + 1]
        self._front = place.number + 1
        self._waiting = self._segments[self._front :]

    def end(self, place: Place) -> None:
        """Note that nothing of a place is left to read."""
        self.begin(place)
        if place.ended:
            return
        place.ended = True
        table = place.rest.table
        self._left[table] -= 1
        if not self._left[table]:
            self.through[table] = None

    def segments(self, undelivered: Callable[[Place], Segment | None]) -> tuple[Segment, ...]:
        """What is left; `undelivered` returns it of one place, None if nothing is."""
        found = [(place, undelivered(place)) for place in self._begun]
        self._begun = [place for place, rest in found if rest is not None]
        return (*(rest for _, rest in found if rest is not None), *self._waiting)
