"""The next places to cut a table at, a few at a time: ranges of about so many rows, from a key on.

Whoever plans a large table piece by piece needs neither all its cuts at once nor a place to keep them. Numbers are
halved by the server's estimates, always the leftmost piece that is too large, so that little is asked. Other keys are
walked along: the server steps over so many entries of the index, which also gets into its memory what is read next.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from tailrace.connectors.mysql.connection import Connection
from tailrace.connectors.mysql.snapshots.keys import ChunkKey
from tailrace.connectors.mysql.snapshots.splitting import PIECES_OF_A_PART, Pieces, key_behind
from tailrace.connectors.shared.snapshots.parts import Cuts, walked
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound

HALVINGS_OF_A_CUT: Final = 200


def next_cuts(
    connection: Connection, table: TableId, key: ChunkKey, after: Bound | None, *, of_rows: int, most: int
) -> Cuts:
    """The next ends of ranges of about `of_rows` rows each, at most `most`.

    Args:
        connection: prepared as `statements.prepare` does.
        table: to be cut.
        key: its key.
        after: the rows behind it are meant; None: all.
        of_rows: how many a range is to have.
        most: how many cuts are wanted.

    """
    if key.is_local and key.index:
        found = _halved(Pieces(connection, table, key, after), of_rows, most)
        if found is not None:
            return found
    return walked(partial(key_behind, connection, table, key, of_rows), after, most)


def _halved(pieces: Pieces, of_rows: int, most: int) -> Cuts | None:
    """By the server's estimates; None where they lead to no cut, though there is more than a range."""
    points: list[Bound] = []
    ahead, done = pieces.whole(), 0
    for _ in range(most * HALVINGS_OF_A_CUT):
        if not ahead:
            return Cuts(points, is_end=True)
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
    return Cuts(points, is_end=False) if points else None
