"""Segments: key ranges of a snapshot's tables, and how they are assigned to lanes.

A bound is a key as a JSON list, a value for each of its columns; only the connector knows how keys compare. The
segments of a table are disjoint and together have all its keys. A lane reads its segments one after the other, table
by table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tailrace.snapshot.stored import Stored

Bound = Sequence[Any]
Interval = tuple[Bound | None, Bound | None]  # keys > the first and <= the second; None: no bound on that side


@dataclass(frozen=True, slots=True)
class Segment:
    """The keys of a table with `after` < key <= `upto`, in the database's order; None: no bound on that side."""

    table: str
    after: Bound | None = None
    upto: Bound | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON; a missing bound is omitted."""
        bounds = {"after": self.after, "upto": self.upto}
        return {"table": self.table, **{name: bound for name, bound in bounds.items() if bound is not None}}

    @classmethod
    def from_dict(cls, value: Any, path: str) -> Segment:
        """Parse JSON; errors name `path`."""
        stored = Stored(value, path)
        segment = cls(stored.text("table"), stored.bound("after"), stored.bound("upto"))
        stored.end()
        return segment


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table to be read.

    Attributes:
        table: its name.
        rows: about how many it has.
        splits: keys at which it may be split, ascending, into about equal parts; none: it is read whole.
        span: the least and the greatest value of its key's first column, if that is a number.

    """

    table: str
    rows: int = 0
    splits: Sequence[Bound] = ()
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """A lane's part of a table: `number` (from 0) of `count`, with about `rows` rows; `span` as in the plan."""

    number: int = 0
    count: int = 1
    rows: int = 0
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LanePlan:
    """What one lane reads.

    Attributes:
        segments: in the order in which they are read.
        opens: whether it has the snapshot's first segment, and so marks the first record.
        closes: whether it has the last segment, and so marks the last record.
        first_of: tables of which it has the first segment.
        last_of: tables of which it has the last segment.
        shares: what it has of each table.

    """

    segments: tuple[Segment, ...] = ()
    opens: bool = False
    closes: bool = False
    first_of: frozenset[str] = field(default=frozenset())
    last_of: frozenset[str] = field(default=frozenset())
    shares: Mapping[str, Share] = field(default_factory=dict)


def undelivered(segments: Iterable[Segment], table: str) -> list[Interval]:
    """The key ranges of a table that these unread segments cover."""
    return [(segment.after, segment.upto) for segment in segments if segment.table == table]


def shares(tables: Sequence[TablePlan], lanes: int) -> list[LanePlan]:
    """Assign tables to lanes so that each has about as many rows; deterministic.

    A table that can be split into as many parts as there are lanes gives one to each: the i-th to lane i. The parts of
    the others, the largest first, go to the lanes that have the fewest rows so far.
    """
    loads = [0.0] * lanes
    parts: list[list[tuple[int, int, Segment, Share]]] = [[] for _ in range(lanes)]
    for number in sorted(range(len(tables)), key=lambda n: (not _is_for_all(tables[n], lanes), -tables[n].rows, n)):
        segments = _parts(tables[number], lanes)
        emptiest = sorted(range(lanes), key=lambda lane: (loads[lane], lane))
        owners = range(lanes) if len(segments) == lanes else emptiest
        for place, (lane, segment) in enumerate(zip(owners, segments, strict=False)):
            parts[lane].append((number, place, segment, _share(tables[number], segment, place, len(segments))))
            loads[lane] += tables[number].rows / len(segments)
    return [_lane_plan(sorted(part, key=lambda item: item[:2]), tables) for part in parts]


def _is_for_all(table: TablePlan, lanes: int) -> bool:
    return len(table.splits) + 1 >= lanes


def _parts(table: TablePlan, lanes: int) -> list[Segment]:
    """At most as many segments as there are lanes; neighbours are joined if there are more parts."""
    bounds = (None, *table.splits, None)
    n = min(len(bounds) - 1, lanes)
    cuts = [i * (len(bounds) - 1) // n for i in range(n + 1)]
    return [Segment(table.table, bounds[i], bounds[j]) for i, j in pairwise(cuts)]


def _share(table: TablePlan, segment: Segment, number: int, count: int) -> Share:
    rows = table.rows * (number + 1) // count - table.rows * number // count  # the parts' sum is the whole
    if table.span is None:
        return Share(number, count, rows)
    low, high = table.span
    ends = [_first(segment.after, low), _first(segment.upto, high)]
    return Share(number, count, rows, (ends[0], ends[1]))


def _first(bound: Bound | None, end: int) -> int:
    value = bound[0] if bound else end
    return value if isinstance(value, int) else end


def _lane_plan(parts: Sequence[tuple[int, int, Segment, Share]], tables: Sequence[TablePlan]) -> LanePlan:
    segments = tuple(segment for _, _, segment, _ in parts)
    first_of = frozenset(segment.table for segment in segments if segment.after is None)
    last_of = frozenset(segment.table for segment in segments if segment.upto is None)
    opens = bool(tables) and tables[0].table in first_of
    closes = bool(tables) and tables[-1].table in last_of
    return LanePlan(segments, opens, closes, first_of, last_of, {part[2].table: part[3] for part in parts})
