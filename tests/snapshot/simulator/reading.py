"""The database's side of a snapshot: reads that are not of one moment, and the log in sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tailrace.changes.records import Binary
from tailrace.connectors.change_tables.snapshots.read_ahead import ReadAhead
from tailrace.snapshot.digests import digests_of
from tailrace.snapshot.first_changes import Break, TableTouches
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.source import Section

from .database import UNKNOWN, WHOLE, Change, Database, Row, Table

BEYOND = 1_000  # above all ranks
STRUCTURAL = ("alter", "drop", "create")
NO_DIGESTS = np.empty((0, 2), np.uint64)
MOST_VIEWS = 3  # without a lock


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
    """A chunk. `since` is where the log was read up to; `is_stale` if the structure changed between there and H'.

    `behind` is a place behind everything that it saw.
    """

    def __init__(self, table: Table, since: int) -> None:
        self.table = table
        self.since = since
        self.behind = since
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


class ViewRows:
    """Rows of a view."""

    is_stale = False

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def digests(self) -> Any:
        return value_digests(self.rows)

    def row(self, index: int) -> Row:
        """One row, to be delivered."""
        return self.rows[index]


class View:
    """What a table without a key has at a moment; `position` is the log's head behind it, None where there is no view.

    While it is open the table keeps its structure.
    """

    def __init__(self, source: Source, table: Table) -> None:
        self.position: dict[str, Any] | None = None
        self.rows_seen: list[Row] = []
        self.is_proven = False
        self._source = source
        self._table = table

    def holds(self) -> bool:
        return self.is_proven

    def rows(self) -> Iterator[ViewRows]:
        """A few at once; writers go on, and it may die in between."""
        yield from self._source.blocks(self.rows_seen)

    def close(self) -> None:
        self._source.release(self._table)


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
        self._last: list[Rows] = []
        self._waits = database.random.random() < 0.3  # for the log's head, so that chunks are read meanwhile
        self._ahead = ReadAhead(self._read, lambda _: 1)
        self._behind = 0  # a place behind everything that was seen by what was asked for
        self._views = 0

    @property
    def at(self) -> int:
        """Up to where the log was read."""
        return self._at.n

    def expect(self, segments: Iterable[Segment]) -> None:
        """They are read ahead, where the log's head is waited for."""
        if self._waits:
            self._ahead.expect(segments)

    def read(self, segment: Segment) -> Rows | None:
        """A few rows, each at a moment of its own; none and no end where the table is not what it was."""
        chunk: Rows | None = self._ahead.take(segment).chunk
        if chunk is not None:
            self._last.append(chunk)
        self._behind = max(self._behind, self._database.seen() if chunk is None else chunk.behind)
        self._read_ahead()
        return chunk

    def _read_ahead(self) -> None:
        while self._waits and self._database.random.random() < 0.4 and self._ahead.step():
            pass

    def _read(self, segment: Segment) -> Rows | None:
        self._pause()
        table = self._database.tables[segment.table]
        known = table.structure(self._at.n)
        chunk = Rows(table, self._at.n)
        if not known[1]:
            return None
        if table.is_there and not self._fails(table.structure(len(self._database.log)) != known):
            self._database.being_read.add(table.name)
            self._scan(chunk, segment)
            self._database.being_read.discard(table.name)
        chunk.behind = self._database.seen()
        self._pause()
        return chunk

    def has_room(self) -> bool:
        """For a few chunks, or for one."""
        return self._waits and self._database.random.random() < 0.7

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

    def view(self, name: str) -> View | None:
        """A table as it is at a moment: known to hold if all changes of it that the log has were visible before."""
        self._pause()
        table = self._database.tables[name]
        known = table.structure(self._at.n)
        if not known[1]:
            return None
        view = View(self, table)
        if table.is_there and not self._fails(table.structure(len(self._database.log)) != known):
            self._database.being_read.add(name)
            self._open(view, table)
            self._database.disturb()
        return view

    def _open(self, view: View, table: Table) -> None:
        database = self._database
        self._views += 1
        if self._views > MOST_VIEWS:  # a lock waits for those who write to the table
            for number in self._in_doubt(table, 0):
                database.show(number)
            view.rows_seen, view.is_proven = list(table.visible.values()), True
            view.position = Position(len(database.log)).to_dict()
            return
        doubts, asked = self._in_doubt(table, 0), len(database.log)
        database.disturb()
        view.rows_seen = list(table.visible.values())
        database.disturb()
        view.position = Position(len(database.log)).to_dict()
        view.is_proven = not doubts and not self._touching(table, range(asked, len(database.log)))

    def _in_doubt(self, table: Table, since: int) -> list[int]:
        return self._touching(table, [number for number in self._database.pending if number >= since])

    def _touching(self, table: Table, numbers: Iterable[int]) -> list[int]:
        log = self._database.log
        return [number for number in numbers if any(change.table == table.name for change in log[number].changes)]

    def blocks(self, rows: list[Row]) -> Iterator[ViewRows]:
        """A few rows at once."""
        for at in range(0, len(rows), self._limit):
            self._pause()
            yield ViewRows(rows[at : at + self._limit])

    def release(self, table: Table) -> None:
        """A view is closed."""
        self._database.being_read.discard(table.name)

    def changes(self, upto: dict[str, Any] | None) -> Iterator[Section]:
        """The log up to a position, or to its head of now."""
        if upto is None:
            self._read_ahead()
        numbers = self._numbers(upto)
        self._note_stale(numbers)
        self._pause()
        while numbers:
            n = min(len(numbers), 1 + int(self._database.random.random() * 4))
            section = self._section(numbers[:n])
            self._ahead.drop(section.altered)
            yield section
            numbers = numbers[n:]
            self._pause()

    def _numbers(self, upto: dict[str, Any] | None) -> list[int]:
        if upto is None:
            return self._at.entries(len(self._database.log))
        missing = set(upto["missing"])
        return [number for number in self._at.entries(upto["n"]) if number not in missing]

    def _note_stale(self, numbers: Sequence[int]) -> None:
        head = self._at.after(numbers[-1]).n if numbers else self._at.n
        for chunk in self._last:
            table = chunk.table
            chunk.is_stale = table.structure(head) != table.structure(chunk.since)
        self._last = []  # what is logged later is nothing to a chunk

    def _section(self, numbers: list[int]) -> Section:
        log, tables = self._database.log, self._database.tables
        self._at = self._at.after(numbers[-1])
        changes: dict[str, list[Change]] = {}
        touches, altered = [], []
        for entry in (log[number] for number in numbers):
            for change in entry.changes:
                changes.setdefault(change.table, []).append(change)
            if entry.kind in STRUCTURAL:
                altered.append(entry.table)
            if entry.kind in ("truncate", "drop") and tables[entry.table].is_keyless:
                touches += [touches_of(tables[entry.table], changes.pop(entry.table, []))]
                touches += [replace(touches_of(tables[entry.table], []), broken=Break.EMPTIED)]
        touches += [touches_of(tables[name], some) for name, some in changes.items()]
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
    if table.is_keyless:
        return _of_rows(table, changes)
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


def _of_rows(table: Table, changes: list[Change]) -> TableTouches:
    before, after = [change.before for change in changes], [change.after for change in changes]
    return TableTouches(
        table.name,
        value_digests(before),
        np.array([row is not None for row in before], bool),
        value_digests(after),
        np.array([row is not None for row in after], bool),
        np.array([change.image == WHOLE for change in changes], bool),
        Images(table, changes),
    )


def value_digests(rows: Sequence[Row | None]) -> Any:
    """The digests of rows of which nobody sees the key."""
    texts = [repr(row and row.values).encode() for row in rows]
    return digests_of(Binary(np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)])))


def _arrays(table: Table, keys: Sequence[tuple[int, int, bool]]) -> tuple[Any, ...]:
    digests, none = table.kind.digests, len(table.kind.ranks)
    before, after, complete = np.array(keys).T
    return digests[before], before < none, digests[after], after < none, complete.astype(bool)
