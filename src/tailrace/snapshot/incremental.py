"""Incremental snapshots: one chunk of a table, taken while the stream is at a position P of the log.

The stream has delivered everything up to P and nothing after it. A chunk that is read now shows rows from after P, so
it is rewound: H, the log's head, is taken after the read, and the log between P and H gives the rows as
they were at P (`first_changes`). They are delivered there, and the stream continues from P. So their read events are in
the table's linear history, each with the value of its position. Rows that the read missed, because they came or went
meanwhile, come from their images, if their keys lie in the chunk's own range. The caller
takes the next chunk once the stream has passed H: so the log is read at most twice, once by the chunks.

**What the read must see.** The read sees everything up to a position V. If P itself can't be guaranteed, V lies
before it. The log from V to P is read first, and each key that changed there is left out: the stream has delivered that
change, whereas the read may have missed it. So V must not lie before the position at which the snapshot was
requested, or a consumer that starts there would never get those keys. A change there with an
unknown key could be of any row: the chunk is not taken.

**By Debezium's window rule** the keys that change from P to H are left out too, because the
stream will deliver them, and no image is delivered. This is for chunks that are read under a condition, which can't be
checked on images. The remaining rows are still those of P.

**Chunks that were read at V** (`take_gathered`) are for a log whose head is known late: the stream continues meanwhile,
and is at a position P after all that they saw when they are taken. The stream has delivered the changes between V and
P, as above; nothing after P matters.

A structure change between P and H makes the chunk worthless: it does not match the rows' structure at P. The caller
tries again once the stream has passed the change. A table that is emptied there has rows at P that
neither the read nor the log has: they are not delivered, and the stream has the truncation.
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
    """The outcome of taking a chunk."""

    TAKEN = "taken"
    GONE = "gone"  # the table does not exist at P: nothing is left to read of it
    ALTERED = "altered"  # the chunk can't be rewound to P: try again, see `TakenChunk.upto`


@dataclass(frozen=True, slots=True)
class ChunkPiece:
    """Rows of one table as of P, to be delivered as read events.

    Attributes:
        table: its name.
        of: the chunk, or changes of it, whose before images are delivered.
        rows: indices of its rows or changes, shape (n,), at least one.

    """

    table: str
    of: Chunk | TableTouches
    rows: Rows


@dataclass(frozen=True, slots=True)
class TakenChunk:
    """The result for one chunk. If nothing was taken, there are no pieces, and `after` is where the segment begins.

    Attributes:
        outcome: whether it was taken.
        after: the segment's new start: the key of the last row that was read; None while none was.
        upto: up to where the log was read: H, or where the structure had changed. The stream must have passed it before
            another chunk is taken, also before this one is tried again. None: nothing after P was read.
        pieces: to be delivered at P, in this order: the chunk's own rows, then images in log order.
        is_last: whether nothing is left to read of the segment.
        rows: how many rows are delivered.
        incomplete: changes of the table after P whose before image was needed and incomplete, by the
            window rule those with an unknown key: their rows are delivered as they were read, perhaps
            newer than P, which the stream corrects.

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
    """Read the next chunk of a segment, and rewind it to P.

    Args:
        source: opened at V, and not read from since.
        segment: the unread rest of a table that has a key.
        at: P, if it lies after V; None if it is V.
        wins: whether a change wins over the row that was read: the window rule.
        skipped: operations that the stream does not deliver, so that they win over nothing.

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
    """Bring chunks that were read at V to P, where the stream is now, after everything that they saw.

    Args:
        source: at V, and with nothing of the log read since; the structure at P is the one at V.
        segment: the part of a table with a key that the chunks were read from.
        chunks: consecutive ones, at least one.
        at: P.
        skipped: operations that the stream does not deliver.

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
    """The log, reduced to one table.

    Attributes:
        skipped: operations that the stream does not deliver.
        position: up to where it was read; None while nothing after P was.
        is_altered: whether the structure changed after P; nothing more is read then.
        unknown: changes after P with an unknown before key.

    """

    def __init__(self, source: SnapshotSource, table: str, skipped: Collection[str]) -> None:
        self._source = source
        self.skipped = skipped
        self._table = table
        self.position: Mapping[str, Any] | None = None
        self.is_altered = False
        self.unknown = 0

    def keys_upto(self, at: Mapping[str, Any] | None) -> KeySet | None:
        """The keys that change from V to P, however incomplete the images; None: they can't be known.

        A structure change there does not matter: DDL waits for the table's transactions, and reads wait for DDL.
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
        """The table's changes after P, up to the current head or to where its structure changes."""
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
    """Rewind the chunk to P, with the images of rows in its range."""

    def inside(touches: TableTouches, rows: Rows) -> Mask:
        if interval == (None, None):
            return np.ones(len(rows), np.bool_)
        return source.inside(touches, rows, [interval])

    return rewound(digests, log.changes(), inside)


def _outside(digests: Digests, log: _TableLog) -> Rewound:
    """The rows of the chunk that did not change after P."""
    rows = np.flatnonzero(outside_window(digests, log.changes(), log.skipped))
    return Rewound(rows, incomplete=log.unknown)


def _pieces(table: str, chunk: Chunk, digests: Digests, found: Rewound, told: KeySet) -> list[ChunkPiece]:
    """The rows found, without those that the stream has delivered since V."""
    pieces = [ChunkPiece(table, chunk, _untold(found.rows, digests, told))]
    pieces += [ChunkPiece(table, touches, _untold(rows, touches.before, told)) for touches, rows in found.images]
    return [piece for piece in pieces if len(piece.rows)]


def _untold(rows: Rows, digests: Digests, told: KeySet) -> Rows:
    return rows[~told.contains(digests[rows])] if len(told) else rows


def _end(segment: Segment, chunk: Chunk) -> Bound | None:
    """The key of the last row that was read, in this chunk or before it."""
    return chunk.bound(len(chunk) - 1) if len(chunk) else segment.after


def _without_key(touches: TableTouches) -> int:
    """How many changes have a before image with an unknown key."""
    return int(np.count_nonzero(~touches.complete & ~touches.has_before))
