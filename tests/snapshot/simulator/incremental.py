"""Chunks beside a running stream: each at a position of its own, or by Debezium's rule of the window.

The consumer begins with nothing. The stream tells it changes, the chunks the rest; in the end it must have the tables.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tailrace.snapshot import first_changes
from tailrace.snapshot.segments import Segment
from tailrace.snapshot.source import Section

from .checks import ViolationError, by_key, compare, fold
from .database import Change, Database, Habits, Row, Table
from .reading import BEYOND, Position, Rows, Source, touches_of


class Stream:
    """The lane that owns the topics: it has told everything up to `at`."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.folded: dict[str, dict[int, Row]] = {name: {} for name in database.tables}
        self.at = 0

    def go_on(self, upto: int) -> None:
        """Tell the log up to a place."""
        fold(self.database, self.folded, range(self.at, upto))
        self.at = max(self.at, upto)

    def read(self, table: Table, after: Any) -> Rows:
        """A chunk, read when everything told so far is visible."""
        self.database.wait_for(self.at)
        source = Source(self.database, Position(self.at), self.database.random.randrange(1, 4), 0.0)
        chunk = source.read(Segment(table.name, after))
        self.sections = list(source.changes(None))
        assert chunk is not None
        return chunk


def run_incremental(random: Random) -> None:
    """Each chunk as of a batch boundary of the stream."""
    _run(random, _deliver_at_boundary)


def run_window(random: Random) -> None:
    """Each chunk behind the changes that came while it was read."""
    _run(random, _deliver_after_window)


def _run(random: Random, deliver: Any) -> None:
    database = Database(random, Habits(random.choice((0.1, 0.3, 0.6)), random.choice((0.0, 0.3, 0.9))), budget=0)
    for _ in range(random.randrange(2, 25)):
        database.write()
    database.budget = random.randrange(0, 40)
    stream = Stream(database)
    for table in database.tables.values():
        after, is_last = None, False
        while not is_last:
            stream.go_on(random.randrange(stream.at, len(database.log) + 1))
            chunk = stream.read(table, after)
            deliver(stream, chunk, after)
            after = chunk.bound(len(chunk) - 1) if len(chunk) else after
            is_last = chunk.is_last
    stream.go_on(len(database.log))
    compare(database, stream.folded)


def _deliver_at_boundary(stream: Stream, chunk: Rows, after: Any) -> None:
    kind = chunk.table.kind
    upto = None if chunk.is_last else chunk.bound(len(chunk) - 1)
    source = Source(stream.database, Position(stream.at), 1, 0.0)
    touches = _touches(stream.sections, chunk.table)
    found = first_changes.rewound(
        chunk.digests, touches, lambda some, rows: source.inside(some, rows, [(after, upto)])
    )
    rows = [chunk.row(row) for row in found.rows.tolist()]
    rows += [some.images.row(row) for some, those in found.images for row in those.tolist()]
    expected = {
        key: row
        for key, row in _rows_at(stream.database, chunk.table, stream.at).items()
        if kind.rank(after, -1) < kind.ranks[key] <= kind.rank(upto, BEYOND)
    }
    if len(rows) != len(expected) or by_key(rows) != expected:
        raise ViolationError(f"{chunk.table.name} as of {stream.at}: {rows}, but it was {expected}")
    stream.folded[chunk.table.name].update(by_key(rows))


def _deliver_after_window(stream: Stream, chunk: Rows, after: Any) -> None:
    del after
    changes = [change for some in _touches(stream.sections, chunk.table) for change in some.images.changes]
    touches = touches_of(chunk.table, [_blurred(stream.database.random, change) for change in changes])
    kept = first_changes.outside_window(chunk.digests, [touches])
    for section in stream.sections:
        stream.go_on(section.position["n"])
    rows = [chunk.row(row) for row in kept.nonzero()[0].tolist()]
    stream.folded[chunk.table.name].update(by_key(rows))


def _blurred(random: Random, change: Change) -> Change:
    """The window needs keys only."""
    return change._replace(image=random.randrange(2)) if change.before is not None else change


def _touches(sections: list[Section], table: Table) -> list[first_changes.TableTouches]:
    return [touches for section in sections for touches in section.touches if touches.table == table.name]


def _rows_at(database: Database, table: Table, n: int) -> dict[int, Row]:
    rows: dict[str, dict[int, Row]] = {name: {} for name in database.tables}
    fold(database, rows, range(n))
    return rows[table.name]
