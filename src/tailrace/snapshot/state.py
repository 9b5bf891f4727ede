"""The state of a lane's snapshot: what its progress record holds besides P, so that another process can go on.

Committed together with what was delivered. `segments` are what is still to be delivered: one that has been read in
part begins at the last key delivered. `position` is H, up to where the log was read. Which keys were touched between P
and H is not kept: the log is read again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Interval, LanePlan, Segment, undelivered
from tailrace.snapshot.stored import Stored

_PATH: Final = "snapshot"
_DIGEST: Final = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class TableState:
    """One table in one lane.

    Attributes:
        rows: records delivered.
        chunks: chunks read that had rows.
        incomplete: changes of which the image before was not complete, so that their rows were delivered as read.
        has_first: whether this lane marks the table's first record.
        has_last: whether this lane marks its last record.
        begun: whether the first one was marked.

    """

    rows: int = 0
    chunks: int = 0
    incomplete: int = 0
    has_first: bool = False
    has_last: bool = False
    begun: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, value: Any, path: str) -> TableState:
        """From its JSON; `path` is what an error calls it."""
        stored = Stored(value, path)
        state = cls(
            rows=stored.number("rows"),
            chunks=stored.number("chunks"),
            incomplete=stored.number("incomplete"),
            has_first=stored.flag("has_first"),
            has_last=stored.flag("has_last"),
            begun=stored.flag("begun"),
        )
        stored.end()
        return state


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """How far a lane has come.

    Attributes:
        segments: what is to be delivered still, in order.
        position: H, the connector's own JSON; P at first.
        tables: counts by table, of all that the lane has or had a segment of.
        held: the row at P, by table and as the digest of its key in hex, that the log told before H and that is not
            delivered yet, because it may have to be marked as the last.
        opens: whether this lane marks the snapshot's first record.
        closes: whether it marks the last.
        begun: whether the first one was marked.

    """

    segments: tuple[Segment, ...]
    position: Mapping[str, Any]
    tables: Mapping[str, TableState] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    opens: bool = False
    closes: bool = False
    begun: bool = False

    @property
    def done(self) -> bool:
        """Whether everything is delivered."""
        return not self.segments and not self.held

    def undelivered(self, table: str) -> list[Interval]:
        """The ranges of a table's keys that this lane has not delivered yet."""
        return undelivered(self.segments, table)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "segments": [segment.to_dict() for segment in self.segments],
            "position": self.position,
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "held": dict(self.held),
            "opens": self.opens,
            "closes": self.closes,
            "begun": self.begun,
        }

    @classmethod
    def from_dict(cls, value: Any) -> SnapshotState:
        """From its JSON; a `ProgressError` names what is missing, unknown or damaged."""
        stored = Stored(value, _PATH)
        state = cls(
            _segments(stored),
            stored.members("position"),
            {name: TableState.from_dict(table, f"{_PATH}.tables.{name}") for name, table in _tables(stored)},
            _held(stored),
            *(stored.flag(name) for name in ("opens", "closes", "begun")),
        )
        stored.end()
        for name in (*(segment.table for segment in state.segments), *state.held):
            if name not in state.tables:
                raise ProgressError(f"the snapshot's progress lacks {_PATH}.tables.{name}")
        return state


def start(plan: LanePlan, position: Mapping[str, Any]) -> SnapshotState:
    """The state of a lane that has delivered nothing; `position` is P."""
    names = dict.fromkeys(segment.table for segment in plan.segments)
    tables = {name: TableState(has_first=name in plan.first_of, has_last=name in plan.last_of) for name in names}
    return SnapshotState(plan.segments, position, tables, opens=plan.opens, closes=plan.closes)


def _segments(stored: Stored) -> tuple[Segment, ...]:
    items = stored.items("segments")
    return tuple(Segment.from_dict(item, f"{_PATH}.segments[{i}]") for i, item in enumerate(items))


def _tables(stored: Stored) -> list[tuple[str, Any]]:
    return list(stored.members("tables").items())


def _held(stored: Stored) -> Mapping[str, str]:
    held = stored.members("held")
    for name, digest in held.items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise ProgressError(f"the snapshot's progress is damaged: {_PATH}.held.{name} is {digest!r}")
    return held
