"""A snapshot that is planned a few parts at a time, for readers that read each part independently: the DataFrame way.

Tables and keys are looked up when P is taken, and nothing else is planned ahead. How far the snapshot has come is a
table and one of its keys, and the ends of the next parts are looked up when they are needed. So the plan stays small,
however large the tables are. A part is a key range of a large table, or several small tables; all have about the same
number of rows.

Every part reads the log from P on. To keep that the smaller part of the work, parts grow with the log that was written
since P, up to `MOST_GROWTH` times.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

import orjson

from tailrace.connectors.base import SnapshotStep, StartPoint
from tailrace.connectors.shared.snapshots.part_assembly import IS_CUT, TABLES_OF_A_PART, Limits, Parts, Size, StoredKey
from tailrace.schema.history import parse_id
from tailrace.schema.tables import TableId
from tailrace.snapshot.lane_part import LanePart
from tailrace.snapshot.segments import Bound, Segment

STRUCTURES: Final[Mapping[str, Any]] = {"structures": True}
"""The part without rows that delivers the initial structures."""

Key = TypeVar("Key", bound=StoredKey)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RangeEnds:
    """The ends of the next ranges, strictly ascending.

    `is_end`: at most one more range follows the last of them.
    """

    points: list[Bound]
    is_end: bool


class RangePlanning(Protocol[Key]):
    """What a step needs from the server."""

    def sizes(self, tables: Sequence[TableId]) -> Mapping[TableId, Size]:
        """The estimated sizes of tables."""

    def key(self, given: Mapping[str, Any]) -> Key:
        """Parse a key from its JSON."""

    def next_range_ends(self, table: TableId, key: Key, after: Bound | None, *, of_rows: int, most: int) -> RangeEnds:
        """The ends of the next ranges, of about `of_rows` rows each, after a bound; at most `most`."""


def walked(key_behind: Callable[[Bound | None], Bound | None], after: Bound | None, most: int) -> RangeEnds:
    """At most `most` range ends after a bound, found by walking along the index.

    `key_behind` returns the key a fixed number of rows after a bound, or after the table's beginning; None if fewer
    rows follow.
    """
    points: list[Bound] = []
    while len(points) < most:
        found = key_behind(points[-1] if points else after)
        if found is None:
            return RangeEnds(points, is_end=True)
        points.append(found)
    return RangeEnds(points, is_end=False)


def tables_of(point: StartPoint) -> Mapping[str, Any]:
    """The tables of a snapshot that was planned for one lane, in reading order, with their keys."""
    (only,) = (point.snapshot or {})["parts"]
    part = LanePart.from_dict(orjson.loads(orjson.dumps(only)))  # as a sink gives it back
    return {"tables": [[segment.table, part.keys[segment.table]] for segment in part.state.segments]}


def structures_step(reached: Mapping[str, Any] | None, *, announces_structures: bool) -> SnapshotStep | None:
    """The first step, if structures are delivered; None: the tables are next."""
    return SnapshotStep([STRUCTURES], {"tables": 0}) if reached is None and announces_structures else None


class Stepping(Generic[Key]):
    """One step of planning; how far it has come is a number of tables, and the key where the next range begins."""

    def __init__(self, cutting: RangePlanning[Key], limits: Limits) -> None:
        self._cutting = cutting
        self._limits = limits
        self._parts = Parts(limits)

    def step(self, point: StartPoint, reached: Mapping[str, Any] | None) -> SnapshotStep:
        """Parts of a point's tables, from where the last step ended; `reached` None: from the first table on."""
        snapshot = point.snapshot or {}
        tables: Sequence[Sequence[Any]] = snapshot["tables"]
        place = reached or {"tables": 0}
        done, after = int(place["tables"]), place.get("after")
        # As many tables as this step can use at most, so that no more sizes are queried than necessary.
        window = tables[done : done + self._limits.parts * TABLES_OF_A_PART]
        sizes = self._cutting.sizes([parse_id(name) for name, _ in window])
        for name, given in window:
            size, key = sizes[parse_id(name)], None if given is None else self._cutting.key(given)
            is_alone = self._is_alone(size, key, after)
            if not self._parts.makes_room(self._limits.share(size), is_alone=is_alone):
                break
            after = self._take(name, size, key, after)
            if after is not None:
                break
            done += 1
        self._parts.close()
        is_end = done == len(tables)
        end = {"tables": done} if after is None else {"tables": done, "after": after}
        request = snapshot.get("asked")
        parts: Sequence[Mapping[str, Any]] = self._parts.done
        if request is not None:
            parts = [_requested(part, request) for part in parts]
        return SnapshotStep(parts, None if is_end else end)

    def _is_alone(self, size: Size, key: Key | None, after: Bound | None) -> bool:
        """Whether a table shares no part with others: a large one, or one without a key."""
        return key is None or after is not None or self._limits.share(size) >= IS_CUT

    def _take(self, name: str, size: Size, key: Key | None, after: Bound | None) -> Bound | None:
        """Add a table to parts, from a key on; the key where the next step continues, None if the table is complete."""
        if key is None:
            log.warning("%s has no key that its rows could be told apart by: one task reads it, at one go", name)
        if key is None or not self._is_alone(size, key, after):
            self._parts.gather(Segment(name), key, self._limits.share(size) if key else 1)
            return None
        of_rows = self._limits.rows_of(size)
        cuts = self._cutting.next_range_ends(parse_id(name), key, after, of_rows=of_rows, most=self._parts.left)
        # The table's last range has no end, so that rows which were inserted beyond the last range end are in it.
        self._parts.add_ranges(name, key, [after, *cuts.points, *([None] if cuts.is_end else [])])
        return None if cuts.is_end else cuts.points[-1]


def _requested(part: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a blocking snapshot, with the statements that select its tables' rows."""
    its = {table: text for table, text in request["statements"].items() if table in part["keys"]}
    return {**part, "asked": {**request, "statements": its}}
