"""A lane's process and its sink: what is delivered counts with the commit, and a process that died begins at the last."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tailrace.snapshot import waves
from tailrace.snapshot.source import Mark, Wave
from tailrace.snapshot.state import SnapshotState

from .database import Database, Row
from .reading import CrashError, Position, Source


@dataclass(frozen=True, slots=True)
class Delivered:
    """One read event."""

    table: str
    row: Row
    mark: Mark
    is_image: bool
    is_stale: bool


@dataclass(slots=True)
class Pace:
    """How a lane goes: rows in a chunk, and the likelihood of a commit after a wave and of each kind of death."""

    limit: int
    commit: float
    death: float
    deaths: int


class Lane:
    """One lane of a schedule; `state` is what the sink has, `chosen` the tables of which a condition chooses the rows."""

    chosen: frozenset[str] = frozenset()

    def __init__(self, database: Database, start: Position, state: SnapshotState, pace: Pace) -> None:
        self.plan = state
        self.delivered: list[Delivered] = []
        self.died = 0
        self.is_done = False
        self._database = database
        self._start = start
        self._pace = pace
        self._random: Random = database.random
        self.state = state
        self._begin()

    def _begin(self) -> None:
        death = self._pace.death if self.died < self._pace.deaths else 0.0
        self._source = self.source(death)
        keyless = frozenset(name for name, table in self._database.tables.items() if table.is_keyless)
        lane = waves.SnapshotLane(self._source, self.state, self.chosen, keyless)
        self._waves: Iterator[Wave] = lane.waves()
        self._uncommitted: list[Delivered] = []
        self._next: SnapshotState | None = None

    def source(self, death: float) -> Source:
        """What a process reads from."""
        return Source(self._database, self._start, self._pace.limit, death)

    def step(self) -> None:
        """One wave, delivered; committed now or with a later one; or a death somewhere."""
        try:
            wave = next(self._waves, None)
        except CrashError:
            self._die()
            return
        if wave is None:
            self._commit()
            self.is_done = True
            return
        self._uncommitted += _records(wave)
        self._next = wave.state
        if self._random.random() < self._pace.commit:
            self._commit_or_die(is_open=wave.is_open)

    def _commit_or_die(self, *, is_open: bool) -> None:
        """Death before the commit, or after it; where the answer was lost, it was one or the other."""
        dies = self.died < self._pace.deaths and self._random.random() < self._pace.death
        if not is_open and (not dies or self._random.random() < 0.5):
            self._commit()
        if dies:
            self._die()

    def _commit(self) -> None:
        self.delivered += self._uncommitted
        self._uncommitted = []
        if self._next is not None:
            self.state = self._next

    def _die(self) -> None:
        """The next process reads what the sink has."""
        self.died += 1
        self.state = SnapshotState.from_dict(json.loads(json.dumps(self.state.to_dict())))
        self._begin()


def _records(wave: Wave) -> list[Delivered]:
    records = []
    for piece in wave.pieces:
        is_image = hasattr(piece.of, "images")
        of: Any = piece.of.images if is_image else piece.of
        rows = [of.row(row) for row in piece.rows.tolist()]
        records += [Delivered(piece.table, row, piece.mark, is_image, of.is_stale) for row in rows]
    return records
