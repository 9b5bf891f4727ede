"""A lane that reads the log, takes chunks at boundaries of its batches, and commits; and its death at any step.

What was delivered, the place in the log and what is left of the snapshots are one commit. A process that died begins
there, and knows nothing else. Snapshots are asked for by signals in the log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from tailrace.snapshot import incremental
from tailrace.snapshot.incremental import ChunkOutcome, TakenChunk
from tailrace.snapshot.segments import Segment

from .checks import ViolationError
from .database import Database, Row, any_below
from .history import Consumer, Told
from .reading import BEYOND, CrashError, Position, Source

Delivery = Callable[[Consumer], None]


@dataclass(frozen=True, slots=True)
class Ask:
    """A signal: execute with the segments that are to be read, stop for some tables, pause, resume."""

    kind: str
    segments: Sequence[Segment] = ()
    tables: Sequence[str] = ()


class State(NamedTuple):
    """What a commit holds: the place in the log, what is left to read, and where the snapshot of each table was asked for."""

    at: int = 0
    segments: tuple[Segment, ...] = ()
    begun: Mapping[str, int] = MappingProxyType({})
    complete: tuple[str, ...] = ()
    is_paused: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            **self._asdict(),
            "segments": [segment.to_dict() for segment in self.segments],
            "begun": dict(self.begun),
        }

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> State:
        """From its JSON."""
        segments = tuple(Segment.from_dict(item, "segments") for item in value["segments"])
        return cls(**{**value, "segments": segments, "complete": tuple(value["complete"])})

    def left(self, table: str) -> bool:
        """Whether something of a table is left to read."""
        return any(segment.table == table for segment in self.segments)


@dataclass(slots=True)
class Habit:
    """How a lane goes: rows in a chunk, entries in a batch, the likelihood of a chunk at a boundary, of a commit, of a death;
    whether reads see everything up to where the stream is, and whether changes win over rows."""

    limit: int
    batch: int
    chunk: float
    commit: float
    death: float
    deaths: int
    is_visible: bool
    wins: bool


class StreamingLane:
    """One lane; `asks` are the signals by their places in the log."""

    def __init__(self, database: Database, asks: dict[int, Ask], habit: Habit) -> None:
        self.consumer = Consumer(database)
        self._database = database
        self._asks = asks
        self._habit = habit
        self._random: Random = database.random
        self._stored = State()
        self._died = 0
        self._begin()

    @property
    def state(self) -> State:
        """What is committed."""
        return self._stored

    def _begin(self) -> None:
        """A process: what it knows is what was committed."""
        self._state = State.from_dict(json.loads(json.dumps(self._stored.to_dict())))
        self._uncommitted: list[Delivery] = []
        self._wanted = 0  # the stream must have passed this before the next chunk
        self._read = 0  # up to where chunks of this process have read the log

    def step(self) -> None:
        """A chunk or a batch; committed now or later; or a death somewhere."""
        try:
            if self._may_take() and self._random.random() < self._habit.chunk:
                self._take()
            else:
                self._stream()
        except CrashError:
            self._die()
            return
        if self._random.random() < self._habit.commit:
            self._commit_or_die()

    def finish(self) -> None:
        """Read what there is of the log, and commit; nothing happens meanwhile."""
        self._died = self._habit.deaths
        while self._state.at < len(self._database.log):
            self._stream()
        self._commit()
        self.consumer.end(self._stored.complete)

    def _may_take(self) -> bool:
        return bool(self._state.segments) and not self._state.is_paused and self._state.at >= self._wanted

    def _stream(self) -> None:
        """A few entries of the log; a signal ends the batch."""
        at = self._state.at
        upto = min(at + 1 + any_below(self._random, self._habit.batch), len(self._database.log))
        upto = next((n + 1 for n in range(at, upto) if n in self._asks), upto)
        self._pause()
        if upto == at:
            return
        self._uncommitted.append(lambda consumer: consumer.entries(upto))
        self._state = self._state._replace(at=upto)
        if upto - 1 in self._asks:
            self._obey(self._asks[upto - 1])

    def _obey(self, ask: Ask) -> None:
        state = self._state
        if ask.kind == "execute":
            segments = tuple(segment for segment in ask.segments if not state.left(segment.table))
            names = tuple(dict.fromkeys(segment.table for segment in segments))
            self._uncommitted.append(lambda consumer: consumer.begin(names))
            complete = tuple(name for name in state.complete if name not in names)
            begun = {**state.begun, **dict.fromkeys(names, state.at)}
            self._state = state._replace(segments=state.segments + segments, complete=complete, begun=begun)
        elif ask.kind == "stop":
            left = tuple(segment for segment in state.segments if segment.table not in ask.tables)
            self._state = state._replace(segments=left)
        else:
            self._state = state._replace(is_paused=ask.kind == "pause")

    def _take(self) -> None:
        """The next chunk, delivered where the stream is."""
        segment = self._state.segments[0]
        at = self._state.at
        seen = self._seen(segment.table)
        source = Source(self._database, Position(seen), self._habit.limit, self._death())
        place = Position(at).to_dict() if seen < at else None
        taken = incremental.take_chunk(source, segment, place, wins=self._habit.wins)
        upto = at if taken.upto is None else int(taken.upto["n"])
        self._note_read(source, at)
        self._wanted = upto
        if taken.outcome is ChunkOutcome.TAKEN:
            self._deliver(segment, taken, upto)
        elif taken.outcome is ChunkOutcome.GONE:
            self._read_on(segment.table, tuple(one for one in self._state.segments if one.table != segment.table))

    def _seen(self, table: str) -> int:
        """A place in the log that a read sees everything before: not before the one where the snapshot was asked for."""
        database, at = self._database, self._state.at
        begun = self._begun(table)
        database.wait_for(at if self._habit.is_visible else begun)
        seen = min(at, database.visible_upto())
        is_exact = self._habit.is_visible or self._random.random() < 0.3
        return seen if is_exact else seen - any_below(self._random, seen - begun + 1)

    def _begun(self, table: str) -> int:
        return self._state.begun[table]

    def _note_read(self, source: Source, at: int) -> None:
        """The log behind the stream's place is read once by all chunks of a process."""
        if source.at > at:
            if at < self._read:
                raise ViolationError(
                    f"a chunk at {at} reads the log up to {source.at}, of which others read up to {self._read}"
                )
            self._read = source.at

    def _deliver(self, segment: Segment, taken: TakenChunk, upto: int) -> None:
        rows = _rows(segment.table, taken)
        kind = self._database.tables[segment.table].kind
        end = segment.upto if taken.is_last else taken.after
        ranks = kind.rank(segment.after, -1), kind.rank(end, BEYOND)
        told = Told(segment.table, rows, ranks, self._state.at, upto, self._habit.wins)
        self._uncommitted.append(lambda consumer: consumer.chunk(told))
        rest = () if taken.is_last else (replace(segment, after=taken.after),)
        self._read_on(segment.table, (*rest, *self._state.segments[1:]))

    def _read_on(self, table: str, segments: tuple[Segment, ...]) -> None:
        self._state = self._state._replace(segments=segments)
        if not self._state.left(table):
            self._state = self._state._replace(complete=(*self._state.complete, table))

    def _commit_or_die(self) -> None:
        """Death before the commit, or after it; where the answer was lost, it was one or the other."""
        dies = self._random.random() < self._death()
        if not dies or self._random.random() < 0.5:
            self._commit()
        if dies:
            self._die()

    def _commit(self) -> None:
        for delivery in self._uncommitted:
            delivery(self.consumer)
        self._uncommitted = []
        self._stored = self._state

    def _die(self) -> None:
        self._died += 1
        self._begin()

    def _death(self) -> float:
        return self._habit.death if self._died < self._habit.deaths else 0.0

    def _pause(self) -> None:
        self._database.disturb()
        if self._random.random() < self._death():
            raise CrashError


def _rows(table: str, taken: TakenChunk) -> list[Row]:
    rows = []
    for piece in taken.pieces:
        of: Any = piece.of.images if hasattr(piece.of, "images") else piece.of
        if of.is_stale or piece.table != table:
            raise ViolationError(f"rows of another structure or table than asked for: {piece}")
        rows += [of.row(row) for row in piece.rows.tolist()]
    return rows
