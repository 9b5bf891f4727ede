"""The next range ends of a table, a few at a time: ranges of about equal row counts, from a key on.

A planner that works piece by piece needs neither all range ends at once, nor a place to store them. Numeric keys are
halved by the server's estimates, always the leftmost piece that is too large, so that few queries suffice. Other keys
are walked along: the server steps over the entries of the index, which also brings the pages into its memory that are
read next.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.splitting import PIECES_OF_A_PART, KeyRanges, key_behind
from tailrace.connectors.shared.snapshots.parts import RangeEnds, walked
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

HALVINGS_OF_A_RANGE: Final = 200


def next_range_ends(
    connection: Connection, table: TableId, key: ChunkKey, after: Bound | None, *, of_rows: int, most: int
) -> RangeEnds:
    """The ends of the next ranges of about `of_rows` rows each, at most `most`.

    Args:
        connection: prepared by `statements.prepare`.
        table: to split.
        key: its key.
        after: only rows after it count; None: all.
        of_rows: rows of a range.
        most: the greatest number of range ends.

    """
    if key.is_local and key.index:
        found = _halved(KeyRanges(connection, table, key, after), of_rows, most)
        if found is not None:
            return found
    return walked(partial(key_behind, connection, table, key, of_rows), after, most)


def _halved(pieces: KeyRanges, of_rows: int, most: int) -> RangeEnds | None:
    """Range ends by the server's estimates; None if the estimates yield none although there is more than one range."""
    points: list[Bound] = []
    ahead, done = pieces.whole(), 0
    for _ in range(most * HALVINGS_OF_A_RANGE):
        if not ahead:
            return RangeEnds(points, is_end=True)
        piece = ahead.pop(0)
        if piece.rows * PIECES_OF_A_PART > of_rows and not piece.is_whole:
            ahead[:0] = pieces.smaller(piece)
            continue
        done += piece.rows
        if done >= of_rows and ahead:
            points.append(piece.end)
            done = 0
        if len(points) == most:
            break
    return RangeEnds(points, is_end=False) if points else None
