"""The state of a lane's snapshot: what its progress record holds besides P, so that another process can resume.

It is committed together with the delivered records. `segments` are still to be delivered: a partly read one
begins at the last key delivered. `position` is H, up to where the log was read. The keys that changed between P
and H are not kept: the log is read again.

The record is written with each commit, and there are sources with thousands of tables: default values are
omitted, and for finished tables that a lane had whole only the sums are kept. `lane_part` does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from tailrace.errors import ProgressError
from tailrace.snapshot.segments import Interval, LanePlan, Segment, Share, undelivered
from tailrace.snapshot.stored import Stored

_PATH: Final = "snapshot"
_DIGEST: Final = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class TableState:
    """One table in one lane.

    Attributes:
        rows: records delivered.
        chunks: chunks read that had rows.
        incomplete: changes with an incomplete before image, so that their rows were delivered as read.
        has_first: whether this lane marks the table's first record.
        has_last: whether this lane marks its last record.
        begun: whether the first one was marked.
        estimate: about how many rows the lane has to deliver, estimated at the beginning; 0: unknown.
        part: which part of the table the lane has, counted from 0.
        parts: how many parts the table has; each is another lane's.
        span: the range of its key's first column that the lane's part covers, if that is a number.

    """

    rows: int = 0
    chunks: int = 0
    incomplete: int = 0
    has_first: bool = False
    has_last: bool = False
    begun: bool = False
    estimate: int = 0
    part: int = 0
    parts: int = 1
    span: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON, with lists for arrays, so that a round trip without text gives the same."""
        members = {name: value for name, usual in _USUAL if (value := getattr(self, name)) != usual}
        return members if self.span is None else {**members, "span": list(self.span)}

    @classmethod
    def from_dict(cls, value: Any, path: str) -> TableState:
        """Parse JSON; errors name `path`."""
        stored = Stored(value, path)
        state = cls(
            rows=stored.number("rows", 0),
            chunks=stored.number("chunks", 0),
            incomplete=stored.number("incomplete", 0),
            has_first=stored.flag("has_first", default=False),
            has_last=stored.flag("has_last", default=False),
            begun=stored.flag("begun", default=False),
            estimate=stored.number("estimate", 0),
            part=stored.number("part", 0),
            parts=stored.number("parts", 1),
            span=stored.span("span"),
        )
        stored.end()
        return state


_USUAL: Final = tuple((each.name, each.default) for each in fields(TableState))


@dataclass(frozen=True, slots=True)
class Finished:
    """Sums over finished tables that a lane had whole; the names are those of `TableState`."""

    tables: int = 0
    rows: int = 0
    chunks: int = 0
    incomplete: int = 0

    def plus(self, tables: Sequence[TableState]) -> Finished:
        """With some more."""
        return Finished(
            self.tables + len(tables),
            self.rows + sum(table.rows for table in tables),
            self.chunks + sum(table.chunks for table in tables),
            self.incomplete + sum(table.incomplete for table in tables),
        )

    def to_dict(self) -> dict[str, int]:
        """As JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, value: Any, path: str) -> Finished:
        """Parse JSON; errors name `path`."""
        stored = Stored(value, path)
        finished = cls(*(stored.number(name) for name in cls.__slots__))
        stored.end()
        return finished


@dataclass(frozen=True, slots=True)
class SnapshotState:
    """A lane's progress.

    Attributes:
        segments: still to be delivered, in order.
        position: H, the connector's own JSON; P at first.
        tables: counts by table, in reading order, of all that the lane has or had a segment of, except those in
            `finished`.
        held: by table, the digest (hex) of the key of a row at P that the log had before H and that is not
            delivered yet, because it may have to be marked as the last.
        opens: whether this lane marks the snapshot's first record, if the first table has one.
        closes: whether it marks the last.
        begun: whether the first one was marked.
        finished: tables whose names are no longer kept.

    """

    segments: tuple[Segment, ...]
    position: Mapping[str, Any]
    tables: Mapping[str, TableState] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    opens: bool = False
    closes: bool = False
    begun: bool = False
    finished: Finished = field(default=Finished())

    @property
    def done(self) -> bool:
        """Whether everything is delivered."""
        return not self.segments and not self.held

    def undelivered(self, table: str) -> list[Interval]:
        """The ranges of a table's keys that this lane has not delivered yet."""
        return undelivered(self.segments, table)

    @property
    def unfinished(self) -> dict[str, None]:
        """The tables with undelivered rows, those with segments first and in their order."""
        return dict.fromkeys([*[segment.table for segment in self.segments], *self.held])

    def forgetful(self) -> SnapshotState:
        """The same, with only the sums of finished tables that the lane had whole."""
        unfinished = self.unfinished
        kept, finished = {}, list[TableState]()
        for name, table in self.tables.items():
            if table.parts > 1 or name in unfinished:
                kept[name] = table
            else:
                finished.append(table)
        opens = self.opens and next(iter(kept), None) == next(
            iter(self.tables), None
        )  # only the first table's may be first
        return replace(self, tables=kept, finished=self.finished.plus(finished), opens=opens)

    def to_dict(self) -> dict[str, Any]:
        """As JSON; forgetful."""
        return self.forgetful().members()

    def members(self) -> dict[str, Any]:
        """As JSON, whole."""
        return {
            "segments": [segment.to_dict() for segment in self.segments],
            "position": self.position,
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "held": dict(self.held),
            "opens": self.opens,
            "closes": self.closes,
            "begun": self.begun,
            "finished": self.finished.to_dict(),
        }

    @classmethod
    def from_dict(cls, value: Any) -> SnapshotState:
        """Parse JSON; a `ProgressError` names what is missing, unknown or damaged."""
        stored = Stored(value, _PATH)
        state = cls(
            _segments(stored),
            stored.members("position"),
            {name: TableState.from_dict(table, f"{_PATH}.tables.{name}") for name, table in _tables(stored)},
            _held(stored),
            opens=stored.flag("opens"),
            closes=stored.flag("closes"),
            begun=stored.flag("begun"),
            finished=_finished(stored),
        )
        stored.end()
        for name in state.unfinished:
            if name not in state.tables:
                raise ProgressError(f"the snapshot's progress lacks {_PATH}.tables.{name}")
        return state


def start(plan: LanePlan, position: Mapping[str, Any]) -> SnapshotState:
    """The state of a lane that has delivered nothing; `position` is P."""
    names = dict.fromkeys(segment.table for segment in plan.segments)
    tables = {name: _table(plan, name) for name in names}
    return SnapshotState(plan.segments, position, tables, opens=plan.opens, closes=plan.closes)


def _table(plan: LanePlan, name: str) -> TableState:
    share = plan.shares.get(name, Share())
    return TableState(
        has_first=name in plan.first_of,
        has_last=name in plan.last_of,
        estimate=share.rows,
        part=share.number,
        parts=share.count,
        span=share.span,
    )


def _segments(stored: Stored) -> tuple[Segment, ...]:
    items = stored.items("segments")
    return tuple(Segment.from_dict(item, f"{_PATH}.segments[{i}]") for i, item in enumerate(items))


def _tables(stored: Stored) -> list[tuple[str, Any]]:
    return list(stored.members("tables").items())


def _finished(stored: Stored) -> Finished:
    """An older tailrace kept every table's counts."""
    path = f"{_PATH}.finished"
    return Finished.from_dict(stored.members("finished"), path) if stored.has("finished") else Finished()


def _held(stored: Stored) -> Mapping[str, str]:
    held = stored.members("held")
    for name, digest in held.items():
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise ProgressError(f"the snapshot's progress is damaged: {_PATH}.held.{name} is {digest!r}")
    return held
