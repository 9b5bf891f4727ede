"""One lane's snapshot, wave after wave: it reads chunks, and rewinds them to P by the log.

A wave reads a chunk, *then* takes the log's head H', and reads the log from H, where the last wave ended, to H'. A
key that changes there for the first time since P and that this lane has not delivered yet is delivered
now, from its before image; an absent one needs nothing. The undelivered keys include the chunk just
read. Then the wave delivers the chunk's rows whose keys did not change since P. So each key is delivered once, as
of P: from the log if it changed before its chunk was delivered, else from its chunk.

Each section of the log is a separate wave, without a chunk: reading the log further is right at any time, so the log up
to H' need not be held in memory. A structure change on the way makes the chunk worthless: it is read again. The
images stay right.

If it takes long until H' is known, the source reads ahead, and several chunks may be taken before it, as far as it has
room for them. They are delivered after H', each in a separate wave.

**The last record** of a table, and of the snapshot, is marked, and is known only when nothing follows. So
the last row found so far of each table is held back until another row of the table follows, or the lane has finished
the table; and then until another table has a row too, for it may be the lane's last. It is held in memory and not
delivered, so the state must not say that it was:

- a row of a chunk: its segment still begins before it, in the state as well as for changes in the log. So another
  process reads it again; and if it changes meanwhile, its image replaces it.
- an image, only while the table has nothing else to hold: the state names the digest of its key. It lies before H, and
  another process, which reads the log from P to H again to rebuild the changed keys, finds it there.
- a table without a key can't be read in part: until its last row is delivered the state says that none is, and all of
  these waves go into one transaction (`Wave.is_open`).

**A table without a key** is read whole, in a view of it at one position S of the log. The log is read exactly up to S,
then the view's rows are delivered, except those that came after P (`multiset`). The snapshot ignores the table's
changes after S.

**A table whose rows the user selects** with a custom statement: an image does not show whether the statement would have
selected the row at P. So no images are delivered; a key that changed before its chunk was delivered is left
to the stream from P, which has that change. The delivered rows are as of P, as for other tables.

Images that are delivered early are not marked. The mark is lost only with the row: if a process dies while it holds the
last one, and that disappears without a complete image before the next process starts (TRUNCATE, DROP,
`binlog_row_image`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any, Final

import numpy as np

from tailrace.errors import ProgressError
from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import FirstTouches, Rewinder, Rows, TableTouches
from tailrace.snapshot.multiset import RowCounts
from tailrace.snapshot.pieces import Pieces
from tailrace.snapshot.places import Place, Places
from tailrace.snapshot.segments import Bound, Interval, Segment
from tailrace.snapshot.source import Chunk, Piece, ReadRows, SnapshotSource, View, Wave
from tailrace.snapshot.state import SnapshotState

MOST_AHEAD: Final = 1000  # segments that are announced before each turn: no source reads more of them ahead

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Held:
    """Rows held back: of a chunk that was read at `place`, after `before`; or an image (no place)."""

    of: ReadRows | TableTouches
    rows: Rows
    place: Place | None = None
    before: Bound | None = None
    _digest: Digests | None = None

    @property
    def digest(self) -> Digests:
        """The digest of the row's key, shape (2,); lazy, since most rows are released before it is needed."""
        if self._digest is None:
            digests = self.of.before if isinstance(self.of, TableTouches) else self.of.digests
            self._digest = digests[self.rows[-1]]
        return self._digest


class SnapshotLane:
    """One lane, from a state to its end; call `waves` once."""

    def __init__(
        self,
        source: SnapshotSource,
        state: SnapshotState,
        chosen: frozenset[str] = frozenset(),
        whole: frozenset[str] = frozenset(),
    ) -> None:
        """A lane that resumes from a state.

        Args:
            source: opened at P.
            state: where to resume.
            chosen: tables whose rows a custom statement selects, so that images don't show which.
            whole: the tables without a key.

        """
        self._source = source
        self._chosen = chosen
        self._whole = whole
        self._stored = state
        self._position: Mapping[str, Any] = state.position
        self._places = Places(state.segments)
        tables = {*(segment.table for segment in state.segments), *state.held}
        self._places.through |= {table: None for table in state.held if not self._places.of(table)}
        self._counts = {name: RowCounts(is_chosen=name in chosen) for name in tables & whole}
        self._rewinders: dict[str, Rewinder | RowCounts] = {name: Rewinder() for name in tables - whole}
        self._rewinders |= self._counts
        self._held: dict[str, _Held] = {}
        self._images: dict[str, str] = {}  # of the held rows that are images, the digests
        self._pieces = Pieces(state)

    def waves(self) -> Iterator[Wave]:
        """All waves; each wave's state is valid once it and all earlier ones are delivered."""
        if self._stored.done:
            return
        self._rebuild()
        while (place := next(iter(self._places), None)) is not None:
            yield from self._turn(place)
        if self._held:
            yield self._wave(self._ended())

    def _rebuild(self) -> None:
        """Read the log from P to H again, for the changed keys and the images that are held."""
        for section in self._source.changes(self._position):
            for touches in section.touches:
                rewinder = self._rewinders.get(touches.table)
                if rewinder is not None:
                    self._hold_again(touches, self._noted(rewinder, touches).rows)
        for table in self._stored.held:
            if table not in self._held and not self._is_gone(table):
                raise ProgressError(
                    f"the log up to {self._position} lacks the change of {table} that the snapshot's progress names: was the "
                    "database restored since? Then begin anew, with an empty target and no progress"
                )

    def _is_gone(self, table: str) -> bool:
        """Whether a table that is still to be read no longer exists: its log may be gone with it."""
        if table in self._whole:
            view = self._source.view(table)
            if view is not None:
                view.close()
            return view is None
        rests = (place.rest for place in self._places.of(table))
        return self._source.read(next(rests, Segment(table))) is None

    def _hold_again(self, touches: TableTouches, rows: Rows) -> None:
        digest = self._stored.held.get(touches.table)
        if digest is None:
            return
        found = rows[_is(touches.before[rows], np.frombuffer(bytes.fromhex(digest), np.uint64))]
        if len(found):
            self._hold_image(touches, found)

    def _hold_image(self, touches: TableTouches, rows: Rows) -> None:
        held = self._held[touches.table] = _Held(touches, rows[-1:])
        self._images[touches.table] = held.digest.tobytes().hex()

    def _hold(self, table: str, held: _Held) -> None:
        """Hold a row that was read."""
        self._held[table] = held
        self._images.pop(table, None)

    def _let_go(self, table: str) -> _Held | None:
        """The row that is held of a table, if one is: it is not held any more."""
        self._images.pop(table, None)
        return self._held.pop(table, None)

    def _turn(self, place: Place) -> Iterator[Wave]:
        """Read a chunk, or a few, and the log after it."""
        if place.rest.table in self._whole:
            yield from self._turn_whole(place)
            return
        read = deque(self._read_some())
        altered = yield from self._follow()
        while read:  # one after the other is let go
            of, chunk = read.popleft()
            if chunk is None:
                self._end(of.rest.table)
                yield self._wave([])
            elif of.rest.table in altered:
                return  # later chunks are read again as well: tables keep their order
            else:
                yield self._wave(self._taken(of, chunk))

    def _read_some(self) -> Iterator[tuple[Place, Chunk | None]]:
        """The next chunk, and as many following ones as the source has room for."""
        is_first = True
        with_key = takewhile(lambda place: place.rest.table not in self._whole, self._places)
        self._source.expect(place.rest for place in islice(with_key, MOST_AHEAD))
        for place in self._places:
            rest: Segment | None = place.rest
            while rest is not None:
                if not is_first and (rest.table in self._whole or not self._source.has_room()):
                    return
                is_first = False
                chunk = self._source.read(rest)
                yield place, chunk
                if chunk is not None and not len(chunk) and not chunk.is_last:
                    return  # of a table that is changing: the log comes first
                rest = _behind(rest, chunk)

    def _turn_whole(self, place: Place) -> Iterator[Wave]:
        """Open a view of a table, and read it if it holds."""
        table = place.rest.table
        yield from self._follow()  # so that the view need not be kept open for that
        view = self._source.view(table)
        if view is None:
            self._end(table)
            yield self._wave([])
            return
        with closing(view):
            altered = yield from self._follow(view.position)
            if view.position is not None and table not in altered and view.holds():
                yield from self._read_whole(place, view)

    def _read_whole(self, place: Place, view: View) -> Iterator[Wave]:
        """The rows of a view that existed at P, except the last one, which is held."""
        table, counts = place.rest.table, self._counts[place.rest.table]
        self._places.begin(place)
        del self._rewinders[table]
        for rows in view.rows():
            kept = counts.untouched(rows.digests)
            self._pieces.count(table, chunks=1)
            if len(kept):
                settled = self._settled(table)
                if settled:
                    yield self._wave(settled)
                released = self._released(table)
                self._hold(table, _Held(rows, kept[-1:], place))
                yield self._wave(released + self._pieces.going_on(table, rows, kept[:-1]))
        self._places.end(place)
        self._tell_doubts(table, counts)
        yield self._wave([])

    def _tell_doubts(self, table: str, counts: RowCounts) -> None:
        """Warn why a table may not be as it was at P."""
        for doubt in counts.doubts(is_whole=table not in self._chosen):
            log.warning("the snapshot of %s is not proven to be exact: %s", table, doubt)

    def _follow(self, upto: Mapping[str, Any] | None = None) -> Generator[Wave, None, set[str]]:
        """Read the log to a position, or to its head; return the tables whose structures changed."""
        altered: set[str] = set()
        for section in self._source.changes(upto):
            altered |= section.altered
            pieces = [piece for touches in section.touches for piece in self._told(touches)]
            self._position = section.position
            yield self._wave(pieces)
        return altered

    def _told(self, touches: TableTouches) -> list[Piece]:
        """The undelivered rows at P from further changes; one is held if none is yet."""
        rewinder = self._rewinders.get(touches.table)
        if rewinder is None:
            return []
        first = self._noted(rewinder, touches)
        if touches.table in self._chosen:
            return []
        self._pieces.count(touches.table, incomplete=first.incomplete)
        rows = self._to_deliver(touches, first.rows)
        self._drop_held(touches, rows)
        if len(rows) and touches.table not in self._held:
            self._hold_image(touches, rows)
            rows = rows[:-1]
        return self._pieces.alike(touches.table, touches, rows)

    def _noted(self, rewinder: Rewinder | RowCounts, touches: TableTouches) -> FirstTouches:
        """Apply changes; for tables with a custom statement their keys' rows are no longer delivered."""
        first = rewinder.note(touches)
        if touches.table in self._chosen and isinstance(rewinder, Rewinder):
            rewinder.note_keys(touches)
        return first

    def _to_deliver(self, touches: TableTouches, rows: Rows) -> Rows:
        """Those whose before key is not delivered yet."""
        intervals = self._intervals(touches.table)
        if not len(rows) or (None, None) in intervals:
            return rows
        return rows[self._source.inside(touches, rows, intervals)] if intervals else rows[:0]

    def _drop_held(self, touches: TableTouches, rows: Rows) -> None:
        """Replace a held row by its image; without a key the image is another row's."""
        held = self._held.get(touches.table)
        if touches.table in self._whole or held is None or not len(rows):
            return
        if _is(touches.before[rows], held.digest).any():
            self._let_go(touches.table)

    def _taken(self, place: Place, chunk: Chunk) -> list[Piece]:
        """The rows of a chunk that are as they were at P, except the last one, which is held."""
        table = place.rest.table
        kept = self._untouched(table, chunk)
        before = place.rest.after
        self._places.begin(place)
        if chunk.is_last:
            self._places.end(place)
        if len(chunk):
            place.rest = replace(place.rest, after=chunk.bound(len(chunk) - 1))
        self._pieces.count(table, chunks=int(len(chunk) > 0))
        if not len(kept):
            return []
        released = self._settled(table) + self._released(table)
        last = int(kept[-1])
        before = chunk.bound(last - 1) if last else before
        self._hold(table, _Held(chunk, kept[-1:], place, before))
        return released + self._pieces.going_on(table, chunk, kept[:-1])

    def _untouched(self, table: str, chunk: Chunk) -> Rows:
        """The rows of a chunk that are as they were at P; without changes nothing is compared."""
        rewinder = self._rewinders[table]
        if isinstance(rewinder, Rewinder) and not len(rewinder.touched):
            return np.arange(len(chunk))
        return rewinder.untouched(chunk.digests)

    def _released(self, table: str) -> list[Piece]:
        """The rows held of a table, now that more of it follows."""
        held = self._let_go(table)
        if held is None:
            return []
        is_image = held.place is None
        return (self._pieces.alike if is_image else self._pieces.going_on)(table, held.of, held.rows)

    def _final(self, table: str, *, is_end: bool) -> list[Piece]:
        """The rows held of a table, now that nothing of it follows."""
        held = self._held[table]
        self._let_go(table)
        return self._pieces.ending(table, held.of, held.rows, is_end=is_end)

    def _ended(self) -> list[Piece]:
        """The row held when nothing is left to read: the lane's last record."""
        pieces = self._settled()
        (table,) = self._held
        return pieces + self._final(table, is_end=True)

    def _settled(self, following: str | None = None) -> list[Piece]:
        """The last rows of finished tables, if another table has one too; forgets those tables.

        `following` is a table that will have one immediately.
        """
        over = [table for table in self._places.through if table != following]
        through = [table for table in over if table in self._held]
        if len(through) > 1:  # in the order in which they were held
            through = [table for table in self._held if table in self._places.through and table != following]
        if following is None and len(through) == len(self._held):
            through = through[:-1]
        pieces = [piece for table in through for piece in self._final(table, is_end=False)]
        for table in over:
            if table not in self._held:
                self._rewinders.pop(table, None)
                del self._places.through[table]
        return pieces

    def _end(self, table: str) -> None:
        """Drop a table that is gone from what is to be read."""
        for place in self._places.of(table):
            self._places.end(place)

    def _wave(self, pieces: Sequence[Piece]) -> Wave:
        return Wave([*pieces, *self._settled()], self._state(), self._is_open())

    def _is_open(self) -> bool:
        """Whether a table without a key is delivered except for its last row."""
        whole = (place for place in self._places.begun if place.rest.table in self._whole)
        held = ((place, self._held.get(place.rest.table)) for place in whole)
        return any(row is not None and row.place is place for place, row in held)

    def _state(self) -> SnapshotState:
        return replace(
            self._stored,
            segments=self._places.segments(self._undelivered),
            position=self._position,
            tables=dict(self._pieces.tables),
            held=dict(self._images),
            begun=self._pieces.begun,
        )

    def _undelivered(self, place: Place) -> Segment | None:
        """The undelivered rest of a segment: from before the row that is held of it, if one is."""
        held = self._held.get(place.rest.table)
        if held is not None and held.place is place:
            return replace(place.rest, after=held.before)
        return None if place.ended else place.rest

    def _intervals(self, table: str) -> list[Interval]:
        rests = (self._undelivered(place) for place in self._places.of(table))
        return [(rest.after, rest.upto) for rest in rests if rest is not None]


def _behind(segment: Segment, chunk: Chunk | None) -> Segment | None:
    """The rest of a segment after a chunk of it; None: nothing."""
    if chunk is None or chunk.is_last:
        return None
    return replace(segment, after=chunk.bound(len(chunk) - 1))


def _is(digests: Digests, digest: Digests) -> Any:
    """True where a digest equals this one, shape (n,)."""
    return (digests == digest).all(axis=1)
