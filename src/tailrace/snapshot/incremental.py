"""Incremental snapshots: one chunk of a table, taken while the stream stands at a place P of the log.

The stream has told everything up to P and nothing behind it. A chunk that is read now is of moments after P, so it is
brought back: H, the log's head, is asked for after the read, and what the log says between P and H gives the rows as
they were at P (`first_changes`). They are delivered there, and the stream goes on from P. So their read events stand in
the table's linear history, each with the value that holds where it stands. Rows that are no longer there, or not yet,
where the chunk's read passed are told by their images, as far as their keys lie in the chunk's own range. The caller
takes the next chunk once the stream has passed H: so the log is read twice at most, once by the chunks.

**What the read must see.** The read sees everything up to a place V. Where that can't be said of P itself, V lies
before it. The log from V to P is read first, and each key that is touched there is left out: the stream has told what
became of it, whereas the read may have missed that. So V must not lie before the place where the snapshot was asked
for, lest somebody who listens from then on is never told of those keys. A change there of which not even the key is
known could be of any row: the chunk is not taken.

**By the rule of the window**, which is Debezium's, the keys that are touched from P to H are left out too, because the
stream will tell them, and no image is delivered. This is for chunks that are read under a condition, of which images
know nothing. The rows that stay are those of P all the same.

**Chunks that were read at V** (`take_gathered`) are for a log of which the head is known late: the stream goes on meanwhile,
and stands at a place P behind all that they saw when they are taken. What was touched between V and P the stream has told,
as above; nothing behind P matters.

A structure that changes between P and H makes the chunk worthless: it does not fit the rows' structure at P. It is for
the caller to try again once the stream has passed the change. A table that is emptied there has rows at P of which
neither the read nor the log knows: they are not delivered, and the stream tells that they went.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tailrace.snapshot.digests import Digests
from tailrace.snapshot.first_changes import (
    Rewound,
    Rows,
    TableTouches,
    add_known_keys,
    outside_window,
    rewound,
)
from tailrace.snapshot.key_set import KeySet, Mask
from tailrace.snapshot.segments import Bound, Interval, Segment
from tailrace.snapshot.source import Chunk, SnapshotSource


class ChunkOutcome(enum.Enum):
    """What came of taking a chunk."""

    TAKEN = "taken"
    GONE = "gone"  # the table is not there at P: nothing is left to read of it
    ALTERED = "altered"  # what was read can't be brought to P: to be tried again, see `TakenChunk.upto`


@dataclass(frozen=True, slots=True)
class ChunkPiece:
    """Rows of one table as of P, to be delivered as read events.

    Attributes:
        table: its name.
        of: the chunk, or changes of it, of which the images before are meant.
        rows: which of its rows or changes, shape (n,), at least one.

    """

    table: str
    of: Chunk | TableTouches
    rows: Rows


@dataclass(frozen=True, slots=True)
class TakenChunk:
    """What one chunk comes to. Where nothing was taken, there are no pieces, and `after` is where the segment begins.

    Attributes:
        outcome: whether it was taken.
        after: the segment's new place: the key of the last row that was read; None while none was.
        upto: up to where the log was read: H, or where the structure had changed. The stream must have passed it before
            another chunk is taken, also before this one is tried again. None: nothing behind P was read.
        pieces: what is to be delivered at P, in this order: the chunk's own rows, then images in log order.
        is_last: whether nothing is left to read of the segment.
        rows: how many rows are delivered.
        incomplete: changes of the table behind P of which the image before was needed and not complete, by the rule of the
            window those of which not even the key is known: their rows are delivered as they were read, perhaps
            newer than P, which the stream mends.

    """

    outcome: ChunkOutcome
    after: Bound | None
    upto: Mapping[str, Any] | None
    pieces: Sequence[ChunkPiece] = ()
    is_last: bool = False
    rows: int = 0
    incomplete: int = 0


def take_chunk(
    source: SnapshotSource,
    segment: Segment,
    at: Mapping[str, Any] | None,
    *,
    wins: bool,
    skipped: Collection[str] = (),
) -> TakenChunk:
    """Read the next chunk of a segment, and bring it to P.

    Args:
        source: opened at V, and not read from since.
        segment: what is to be read still of a table that has a key.
        at: P, where it lies behind V; None where it is V.
        wins: whether a change wins over the row that was read: the rule of the window.
        skipped: operations of which the stream does not tell, so that they win over nothing.

    """
    log = _TableLog(source, segment.table, skipped)
    told = log.keys_upto(at)
    if told is None:
        return TakenChunk(ChunkOutcome.ALTERED, segment.after, None)
    chunk = source.read(segment)
    if chunk is None:
        return TakenChunk(ChunkOutcome.GONE, segment.after, None, is_last=True)
    digests = chunk.digests
    interval = (segment.after, segment.upto if chunk.is_last else _end(segment, chunk))
    found = _outside(digests, log) if wins else _rewound(digests, log, source, interval)
    if log.is_altered or not (len(chunk) or chunk.is_last):
        return TakenChunk(ChunkOutcome.ALTERED, segment.after, log.position)
    pieces = _pieces(segment.table, chunk, digests, found, told)
    rows = sum(len(piece.rows) for piece in pieces)
    after = _end(segment, chunk)
    return TakenChunk(ChunkOutcome.TAKEN, after, log.position, pieces, chunk.is_last, rows, found.incomplete)


def take_gathered(
    source: SnapshotSource,
    segment: Segment,
    chunks: Sequence[Chunk],
    at: Mapping[str, Any],
    skipped: Collection[str] = (),
) -> TakenChunk:
    """Bring chunks that were read at V to P, where the stream stands now, behind everything that they saw.

    Args:
        source: at V, and with nothing of the log read since; the structure is at P what it was at V.
        segment: what was to be read of a table that has a key.
        chunks: of it, at least one, one behind the other.
        at: P.
        skipped: operations of which the stream does not tell.

    """
    log = _TableLog(source, segment.table, skipped)
    told = log.keys_upto(at)
    if told is None:
        return TakenChunk(ChunkOutcome.ALTERED, segment.after, None)
    pieces = [ChunkPiece(segment.table, each, _untold(np.arange(len(each)), each.digests, told)) for each in chunks]
    pieces = [piece for piece in pieces if len(piece.rows)]
    after = next((_end(segment, each) for each in reversed(chunks) if len(each)), segment.after)
    rows = sum(len(piece.rows) for piece in pieces)
    return TakenChunk(ChunkOutcome.TAKEN, after, None, pieces, chunks[-1].is_last, rows)


class _TableLog:
    """The log as far as it concerns one table.

    Attributes:
        skipped: operations of which the stream does not tell.
        position: up to where it was read; None while nothing behind P was.
        is_altered: whether the structure changed behind P; nothing is read any further then.
        unknown: changes behind P of which not even the key before is known.

    """

    def __init__(self, source: SnapshotSource, table: str, skipped: Collection[str]) -> None:
        self._source = source
        self.skipped = skipped
        self._table = table
        self.position: Mapping[str, Any] | None = None
        self.is_altered = False
        self.unknown = 0

    def keys_upto(self, at: Mapping[str, Any] | None) -> KeySet | None:
        """What is touched from V to P, however incomplete the images; None: no one can say.

        A structure that changes there does not matter: it waits for the table's transactions, and reads wait for it.
        """
        keys = KeySet()
        if at is None:
            return keys
        for section in self._source.changes(at):
            for touches in self._of(section.touches):
                if _without_key(touches):
                    return None
                add_known_keys(keys, touches, self.skipped)
        return keys

    def changes(self) -> Iterator[TableTouches]:
        """The table's changes behind P, up to the head of now or to where its structure changes."""
        for section in self._source.changes(None):
            self.position = section.position
            if self._table in section.altered:
                self.is_altered = True
                return
            for touches in self._of(section.touches):
                self.unknown += _without_key(touches)
                yield touches

    def _of(self, touches: Sequence[TableTouches]) -> Iterator[TableTouches]:
        return (some for some in touches if some.table == self._table)


def _rewound(digests: Digests, log: _TableLog, source: SnapshotSource, interval: Interval) -> Rewound:
    """The chunk as of P, with the images of rows in its range."""

    def inside(touches: TableTouches, rows: Rows) -> Mask:
        if interval == (None, None):
            return np.ones(len(rows), np.bool_)
        return source.inside(touches, rows, [interval])

    return rewound(digests, log.changes(), inside)


def _outside(digests: Digests, log: _TableLog) -> Rewound:
    """The rows of the chunk that nothing touched behind P."""
    rows = np.flatnonzero(outside_window(digests, log.changes(), log.skipped))
    return Rewound(rows, incomplete=log.unknown)


def _pieces(table: str, chunk: Chunk, digests: Digests, found: Rewound, told: KeySet) -> list[ChunkPiece]:
    """What was found, without what the stream has told since V."""
    pieces = [ChunkPiece(table, chunk, _untold(found.rows, digests, told))]
    pieces += [ChunkPiece(table, touches, _untold(rows, touches.before, told)) for touches, rows in found.images]
    return [piece for piece in pieces if len(piece.rows)]


def _untold(rows: Rows, digests: Digests, told: KeySet) -> Rows:
    return rows[~told.contains(digests[rows])] if len(told) else rows


def _end(segment: Segment, chunk: Chunk) -> Bound | None:
    """The key of the last row that was read, in this chunk or before it."""
    return chunk.bound(len(chunk) - 1) if len(chunk) else segment.after


def _without_key(touches: TableTouches) -> int:
    """How many changes have an image before of which the key is not known."""
    return int(np.count_nonzero(~touches.complete & ~touches.has_before))
