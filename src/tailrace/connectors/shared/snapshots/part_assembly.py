"""Parts are assembled: how large the parts of a step are, and which segments of tables go into each.

A part is a key range of a large table, or several small tables. All parts have about the same number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Protocol

from tailrace.snapshot.segments import Bound, Segment

ROWS_OF_A_PART: Final = 500_000
BYTES_OF_A_PART: Final = 256 << 20
LEAST_BYTES: Final = 16 << 20  # smaller parts cost more in task starts than they gain in parallelism
MOST_GROWTH: Final = 8
TABLES_OF_A_PART: Final = 25
IS_CUT: Final = 1.5  # a table of so many parts is split; splitting one that is just above 1 would make two small parts


class StoredKey(Protocol):
    """A table's key, as it is stored."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""


@dataclass(frozen=True, slots=True)
class Size:
    """The estimated size of a table, from the server's statistics; 0 for a table that does not exist."""

    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """The size of a step: at most `parts` parts, each of about `rows` rows or `bytes` bytes."""

    parts: int
    rows: int
    bytes: int

    def share(self, size: Size) -> float:
        """The size of a table, in parts."""
        return max(size.rows / self.rows, size.bytes / self.bytes)

    def rows_of(self, size: Size) -> int:
        """The number of a table's rows in one part."""
        if not size.rows or not size.bytes:
            return self.rows
        return max(min(self.rows, self.bytes * size.rows // size.bytes), 1)


def limits_of(wanted: int, max_bytes: int | None, log_bytes: int = 0) -> Limits:
    """The limits of a step.

    Args:
        wanted: the greatest number of parts.
        max_bytes: about the total size of all parts; None: parts have their usual size.
        log_bytes: the size of the log that every part must read.

    """
    # Each part reads the log from P on: larger parts read it less often.
    growth = min(max(log_bytes / BYTES_OF_A_PART, 1), MOST_GROWTH)
    rows, size = int(ROWS_OF_A_PART * growth), int(BYTES_OF_A_PART * growth)
    if max_bytes is None:
        return Limits(wanted, rows, size)
    parts = min(max(max_bytes // LEAST_BYTES, 1), wanted)
    return Limits(parts, rows, min(size, max(max_bytes // parts, 1)))


@dataclass(slots=True)
class Parts:
    """Parts that are being assembled; small tables are collected until they fill one."""

    limits: Limits
    done: list[Mapping[str, Any]] = field(default_factory=list)
    _segments: list[Segment] = field(default_factory=list)
    _keys: dict[str, Any] = field(default_factory=dict)
    _share: float = 0.0

    @property
    def left(self) -> int:
        """How many more parts may be made."""
        return self.limits.parts - len(self.done)

    def makes_room(self, share: float, *, is_alone: bool) -> bool:
        """Whether a table of this share fits into the current part or the next one.

        `is_alone`: the table shares a part with no other.
        """
        if is_alone or not self._can_take(share):
            self.close()
        return self.left > 0

    def gather(self, segment: Segment, key: StoredKey | None, share: float) -> None:
        """Add a segment to the current part."""
        self._segments.append(segment)
        self._keys[segment.table] = None if key is None else key.to_dict()
        self._share += share

    def add_ranges(self, table: str, key: StoredKey, points: Iterable[Bound | None]) -> None:
        """Add the ranges of a table between these bounds, each as a separate part."""
        for after, upto in pairwise(points):
            self.gather(Segment(table, after, upto), key, 1)
            self.close()

    def close(self) -> None:
        """Complete the current part, unless it is empty."""
        if self._segments:
            segments = [[segment.table, segment.after, segment.upto] for segment in self._segments]
            self.done.append({"segments": segments, "keys": self._keys})
        self._segments, self._keys, self._share = [], {}, 0.0

    def _can_take(self, share: float) -> bool:
        """Whether the current part has room for this share."""
        # An empty part takes a table of any size, or a large one would never find room.
        return not self._segments or (self._share + share <= 1 and len(self._segments) < TABLES_OF_A_PART)
