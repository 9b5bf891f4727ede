"""Parts in the making: how large the parts of one step are, and which segments of tables go into one.

A part is a range of a large table, or several small tables; it has about as many rows as another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Protocol

from tailrace.snapshot.segments import Bound, Segment

ROWS_OF_A_PART: Final = 500_000
BYTES_OF_A_PART: Final = 256 << 20
LEAST_BYTES: Final = 16 << 20  # fewer are not worth a part beside others
MOST_GROWTH: Final = 8
TABLES_OF_A_PART: Final = 25
IS_CUT: Final = 1.5  # parts that a table has to make


class StoredKey(Protocol):
    """A key of a table."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""


@dataclass(frozen=True, slots=True)
class Size:
    """About how large a table is, as the server says now: its rows, and their bytes there; 0 for one that is not."""

    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a step is: so many parts at most, each of about so many rows or bytes."""

    parts: int
    rows: int
    bytes: int

    def share(self, size: Size) -> float:
        """How many parts a table is."""
        return max(size.rows / self.rows, size.bytes / self.bytes)

    def rows_of(self, size: Size) -> int:
        """How many of a table's rows are a part."""
        if not size.rows or not size.bytes:
            return self.rows
        return max(min(self.rows, self.bytes * size.rows // size.bytes), 1)


def limits_of(wanted: int, max_bytes: int | None, log_bytes: int = 0) -> Limits:
    """Those of a step.

    Args:
        wanted: parts, at most.
        max_bytes: of tables, about so many in all of them; None: as many as parts usually have.
        log_bytes: of the log, which every part reads.

    """
    growth = min(max(log_bytes / BYTES_OF_A_PART, 1), MOST_GROWTH)
    rows, size = int(ROWS_OF_A_PART * growth), int(BYTES_OF_A_PART * growth)
    if max_bytes is None:
        return Limits(wanted, rows, size)
    parts = min(max(max_bytes // LEAST_BYTES, 1), wanted)
    return Limits(parts, rows, min(size, max(max_bytes // parts, 1)))


@dataclass(slots=True)
class Parts:
    """Parts in the making; small tables are gathered until they are one."""

    limits: Limits
    done: list[Mapping[str, Any]] = field(default_factory=list)
    _segments: list[Segment] = field(default_factory=list)
    _keys: dict[str, Any] = field(default_factory=dict)
    _share: float = 0.0

    @property
    def left(self) -> int:
        """How many more are wanted."""
        return self.limits.parts - len(self.done)

    def makes_room(self, share: float, *, is_alone: bool) -> bool:
        """Whether there is a part for so much of one: what is being gathered, or the next one.

        `is_alone`: it shares a part with nothing else.
        """
        if is_alone or not self._can_take(share):
            self.close()
        return self.left > 0

    def gather(self, segment: Segment, key: StoredKey | None, share: float) -> None:
        """Add a segment to the part that is being gathered."""
        self._segments.append(segment)
        self._keys[segment.table] = None if key is None else key.to_dict()
        self._share += share

    def add_ranges(self, table: str, key: StoredKey, points: Iterable[Bound | None]) -> None:
        """The ranges of a table between these points, each as a part of its own."""
        for after, upto in pairwise(points):
            self.gather(Segment(table, after, upto), key, 1)
            self.close()

    def close(self) -> None:
        """What is gathered is a part."""
        if self._segments:
            segments = [[segment.table, segment.after, segment.upto] for segment in self._segments]
            self.done.append({"segments": segments, "keys": self._keys})
        self._segments, self._keys, self._share = [], {}, 0.0

    def _can_take(self, share: float) -> bool:
        """Whether what is being gathered can take so much more of a part."""
        return not self._segments or (self._share + share <= 1 and len(self._segments) < TABLES_OF_A_PART)
