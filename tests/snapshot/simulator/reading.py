"""The database's side of a snapshot: reads that are not of one moment, and the log in sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tailrace.snapshot.first_changes import TableTouches
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.source import Section

from .database import UNKNOWN, WHOLE, Change, Database, Row, Table

BEYOND = 1_000  # above all ranks
STRUCTURAL = ("alter", "drop", "create")
NO_DIGESTS = np.empty((0, 2), np.uint64)


class CrashError(Exception):
    """A process dies here."""


class Position:
    """A place in the log: everything before `n` but the entries in `missing`, which were not visible then."""

    def __init__(self, n: int, missing: Sequence[int] = ()) -> None:
        self.n = n
        self.missing = list(missing)

    def to_dict(self) -> dict[str, Any]:
        return {"n": self.n, "missing": self.missing}

    def entries(self, upto: int) -> list[int]:
        """What comes after it."""
        return [*self.missing, *range(self.n, upto)]

    def after(self, entry: int) -> Position:
        """The place behind an entry that comes after this one."""
        return Position(max(self.n, entry + 1), [number for number in self.missing if number > entry])


class Rows:
    """A chunk. `since` is where the log was read up to; `is_stale` if the structure changed between there and H'."""

    def __init__(self, table: Table, since: int) -> None:
        self.table = table
        self.since = since
        self.rows: list[Row] = []
        self.is_last = False
        self.is_stale = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def digests(self) -> Any:
        return self.table.kind.digests[[row.key for row in self.rows]] if self.rows else NO_DIGESTS

    def bound(self, row: int) -> list[Any]:
        return self.table.kind.bounds[self.rows[row].key]

    def row(self, index: int) -> Row:
        """One row, to be delivered."""
        return self.rows[index]


class Images:
    """The changes behind some touches, to be delivered as their images before."""

    is_stale = False

    def __init__(self, table: Table, changes: list[Change]) -> None:
        self.table = table
        self.changes = changes

    def row(self, index: int) -> Row:
        """The image before a change; of an incomplete one nothing is known, so that its use shows."""
        change = self.changes[index]
        assert change.before is not None
        return change.before if change.image == WHOLE else Row(change.before.key, ())


class Source:
    """What the connector is to the real code; dies with the likelihood `death` wherever something may happen.

    Structures are those of the log where it is read up to. A table that has another one by now can't be read, or is
    read all the same. Where structures change, a read may also fail of a change that the log does not tell (yet).
    """

    def __init__(self, database: Database, start: Position, limit: int, death: float) -> None:
        self._database = database
        self._limit = limit
        self._death = death
        self._at = start
        self._last: Rows | None = None

    @property
    def at(self) -> int:
        """Up to where the log was read."""
        return self._at.n

    def read(self, segment: Segment) -> Rows | None:
        """A few rows, each at a moment of its own; none and no end where the table is not what it was."""
        self._pause()
        table = self._database.tables[segment.table]
        known = table.structure(self._at.n)
        chunk = self._last = Rows(table, self._at.n)
        if not known[1]:
            return None
        if table.is_there and not self._fails(table.structure(len(self._database.log)) != known):
            self._database.being_read.add(table.name)
            self._scan(chunk, segment)
            self._database.being_read.discard(table.name)
        self._pause()
        return chunk

    def _fails(self, is_other: bool) -> bool:
        likelihood = 0.5 if is_other else self._database.habits.structures / 3
        return likelihood > 0 and self._database.random.random() < likelihood

    def _scan(self, chunk: Rows, segment: Segment) -> None:
        kind, rows = chunk.table.kind, chunk.table.visible
        at, upto = kind.rank(segment.after, -1), kind.rank(segment.upto, BEYOND)
        while len(chunk) < self._limit:
            at = min((rank for rank in rows if at < rank <= upto), default=BEYOND)
            if at == BEYOND:
                chunk.is_last = True
                return
            chunk.rows.append(rows[at])
            self._database.disturb()

    def changes(self, upto: dict[str, Any] | None) -> Iterator[Section]:
        """The log up to a position, or to its head of now."""
        numbers = self._numbers(upto)
        self._note_stale()
        self._pause()
        while numbers:
            n = min(len(numbers), 1 + int(self._database.random.random() * 4))
            yield self._section(numbers[:n])
            numbers = numbers[n:]
            self._pause()

    def _numbers(self, upto: dict[str, Any] | None) -> list[int]:
        if upto is None:
            return self._at.entries(len(self._database.log))
        missing = set(upto["missing"])
        return [number for number in self._at.entries(upto["n"]) if number not in missing]

    def _note_stale(self) -> None:
        if self._last is not None:
            table = self._last.table
            self._last.is_stale = table.structure(len(self._database.log)) != table.structure(self._last.since)

    def _section(self, numbers: list[int]) -> Section:
        log, tables = self._database.log, self._database.tables
        self._at = self._at.after(numbers[-1])
        changes: dict[str, list[Change]] = {}
        altered = []
        for entry in (log[number] for number in numbers):
            for change in entry.changes:
                changes.setdefault(change.table, []).append(change)
            if entry.kind in STRUCTURAL:
                altered.append(entry.table)
        touches = [touches_of(tables[name], some) for name, some in changes.items()]
        return Section(touches, self._at.to_dict(), frozenset(altered))

    def inside(self, touches: TableTouches, rows: Any, intervals: Sequence[Any]) -> Any:
        """By rank, as the database compares."""
        kind = touches.images.table.kind
        bounds = [(kind.rank(after, -1), kind.rank(upto, BEYOND)) for after, upto in intervals]
        ranks = [kind.ranks[touches.images.changes[row].before.key] for row in rows]
        return np.array([any(after < rank <= upto for after, upto in bounds) for rank in ranks])

    def _pause(self) -> None:
        self._database.disturb()
        if self._death and self._database.random.random() < self._death:
            raise CrashError


def touches_of(table: Table, changes: list[Change]) -> TableTouches:
    """Changes of one table as the real code takes them."""
    none = len(table.kind.ranks)
    keys = tuple(
        (none if b is None or image == UNKNOWN else b.key, none if a is None else a.key, image == WHOLE)
        for _, b, a, image in changes
    )
    arrays = table.kind.touches.get(keys)
    if arrays is None:
        arrays = _arrays(table, keys)
        if len(keys) == 1:  # what comes all the time, and is of a few thousand kinds
            table.kind.touches[keys] = arrays
    return TableTouches(table.name, *arrays, Images(table, changes))


def _arrays(table: Table, keys: Sequence[tuple[int, int, bool]]) -> tuple[Any, ...]:
    digests, none = table.kind.digests, len(table.kind.ranks)
    before, after, complete = np.array(keys).T
    return digests[before], before < none, digests[after], after < none, complete.astype(bool)
