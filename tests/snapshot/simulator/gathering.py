"""Incremental snapshots as SQL Server's connector takes them: chunks are read where the stream stands, and wait until the stream
has told everything that they saw, which shows when capture has passed them. The stream goes on meanwhile.

A process that dies forgets what it has gathered. A table that is asked for anew is read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tailrace.snapshot import incremental
from tailrace.snapshot.segments import Segment

from .captured import CapturedDatabase, CapturedSource, made_captured
from .checks import replayed_by
from .database import any_below
from .incremental import run_incremental
from .reading import STRUCTURAL, Position, Rows
from .schedule import parts_of
from .streaming import Ask, StreamingLane

MOST_CHUNKS = 3


@dataclass(frozen=True, slots=True)
class Gathered:
    """Chunks of a segment that were read where the stream was at `at`; it must be at `head` for them."""

    segment: Segment
    chunks: Sequence[Rows]
    at: int
    head: int


class GatheringLane(StreamingLane):
    """A lane over a database whose changes are captured late."""

    _database: CapturedDatabase

    def _begin(self) -> None:
        super()._begin()
        self._gathered: Gathered | None = None

    def _obey(self, ask: Ask) -> None:
        began = self._state.begun
        super()._obey(ask)
        found = self._gathered
        if found is not None and self._state.begun.get(found.segment.table) != began.get(found.segment.table):
            self._gathered = None

    def _take(self) -> None:
        """Gather, or deliver what was gathered."""
        found, segment = self._gathered, self._state.segments[0]
        if found is None or found.segment != segment:
            self._gather(segment)
        elif self._state.at >= found.head:
            self._gathered = None
            self._bring(found)

    def _gather(self, segment: Segment) -> None:
        at, left = self._state.at, segment
        self._database.wait_for(at)
        source = CapturedSource(self._database, Position(at), self._habit.limit, self._death())
        chunks: list[Rows] = []
        while len(chunks) < 1 + any_below(self._random, MOST_CHUNKS):
            chunk = source.read(left)
            if chunk is None:
                if not chunks:
                    self._read_on(segment.table, tuple(one for one in self._state.segments if one.table != segment.table))
                break
            if not len(chunk) and not chunk.is_last:
                break  # its structure is changing
            chunks.append(chunk)
            if chunk.is_last:
                break
            left = replace(left, after=chunk.bound(len(chunk) - 1))
        if chunks:
            self._gathered = Gathered(segment, chunks, at, self._passed())

    def _passed(self) -> int:
        """A place behind everything that was seen; to be asked for when it has been read."""
        return self._database.passed()

    def _bring(self, found: Gathered) -> None:
        """Deliver what was gathered where the stream is, if the table is still what it was."""
        at, table = self._state.at, found.segment.table
        if any(entry.kind in STRUCTURAL and entry.table == table for entry in self._database.log[found.at : at]):
            return
        source = CapturedSource(self._database, Position(found.at), self._habit.limit, self._death())
        taken = incremental.take_gathered(source, found.segment, found.chunks, Position(at).to_dict())
        self._deliver(found.segment, taken, at)


def run_gathered(seed: int) -> None:
    """Run one schedule; a `ViolationError` names its seed."""
    random = Random(seed)
    with replayed_by(f"seed {seed}"):
        database = made_captured(random)
        database.budget += any_below(random, 40)
        run_incremental(random, database, parts_of(random, database), GatheringLane)
