"""The estimated sizes of tables, and where a large one is split into parts of about equal row counts.

Nothing here has to be exact: whatever the split points are, the parts between them cover the table, each row once.
Wrong estimates only make parts uneven. So the server's estimates are sufficient. EXPLAIN estimates the rows of a range
by two dives into the index, but never reports more than half of the table. So a range that seems large is halved again
and again, until the pieces are small enough to be combined to parts. If a range has only one value left, the key's next
column is halved.

A key that can't be halved without reading it is walked along, if the table is not too large.

Source: MySQL Reference Manual, "EXPLAIN Output Format", "Equality Range Optimization of Many-Valued Comparisons",
"information_schema_stats_expiry".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from typing import Final, TypeVar

from tailrace.connectors.mysql import catalog
from tailrace.connectors.mysql.catalog import Server, quoted
from tailrace.connectors.mysql.connection import Connection, error_number, execute, mappings, rows
from tailrace.connectors.mysql.snapshots.bounds import bound_of_row, expressions, literals
from tailrace.connectors.mysql.snapshots.key_numbering import KeyNumbering, numbering_of
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.mysql.snapshots.statements import (
    EVERYTHING,
    ascending,
    chunk_end,
    compared,
    inside_of,
    names_of,
)
from tailrace.connectors.shared.snapshots.keys import NoKey
from tailrace.connectors.shared.snapshots.part_assembly import Size
from tailrace.connectors.shared.snapshots.parts import walked
from tailrace.errors import SourceSetupError
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

_T = TypeVar("_T")
LEAST_ROWS: Final = 50_000  # fewer rows are not worth a second connection
MOST_WALKED: Final = 2_000_000  # entries of an index that the server steps over before the snapshot begins
PIECES_OF_A_PART: Final = 8  # so parts differ by about an eighth
HALVINGS_OF_A_PART: Final = 64  # an upper limit; each halving costs two EXPLAINs
HAS_EXPIRY: Final = (8, 0, 3)


def estimated_sizes(connection: Connection, server: Server, tables: Iterable[TableId]) -> dict[TableId, Size]:
    """The estimated sizes of tables."""
    if server.version >= HAS_EXPIRY:  # otherwise the answer may be a day old
        execute(connection, "SET SESSION information_schema_stats_expiry = 0")
    wanted = list(tables)
    found: dict[TableId, Size] = {}
    for database, group in groupby(sorted(wanted), key=lambda table: table.catalog):
        sql = (
            "SELECT TABLE_NAME, TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES"
            " WHERE TABLE_SCHEMA = %s AND TABLE_NAME IN %s"
        )
        for name, count, size in rows(connection, sql, database, tuple(table.name for table in group)):
            found[TableId(database, "", name)] = Size(int(count or 0), int(size or 0))
    return {table: found.get(table, Size()) for table in wanted}


def estimated_rows(connection: Connection, server: Server, tables: Iterable[TableId]) -> dict[TableId, int]:
    """The estimated row counts of tables."""
    return {table: size.rows for table, size in estimated_sizes(connection, server, tables).items()}


def span(connection: Connection, table: TableId, key: ChunkKey) -> tuple[int, int] | None:
    """The least and the greatest value of the key's first column, if that is a number; the index has them at its ends."""
    column = key.columns[0]
    if column.kind is not Kind.INT or not key.index:
        return None
    name = quoted(column.name)
    ((low, high),) = rows(connection, f"SELECT MIN({name}), MAX({name}) {_from(table, key, 'FORCE')}")
    return None if low is None else (int(low), int(high))


def split_points(
    connection: Connection,
    table: TableId,
    key: ChunkKey,
    parts: int,
    *,
    least_rows: int = LEAST_ROWS,
    most_walked: int = MOST_WALKED,
) -> list[Bound]:
    """The bounds that split a table into parts: fewer than `parts`, strictly ascending; none for a small table.

    Args:
        connection: prepared by `statements.prepare`.
        table: to split.
        key: its key.
        parts: how many are wanted.
        least_rows: a table of fewer rows is not split.
        most_walked: a key that is not numeric is walked along in a table of at most so many rows.

    """
    estimate = _explained(connection, table, key, EVERYTHING)
    if parts < 2 or estimate < max(least_rows, 2):
        return []
    if not key.is_local and estimate <= most_walked:
        return _walked(connection, table, key, parts)
    pieces = KeyRanges(connection, table, key).halved(parts)
    return ascending(connection, key, _put_together(pieces, parts))


class TableSplitter:
    """Splits tables by `split_points`.

    A table whose structure has changed since its key was looked up is not split: its readers find out what became of it.
    """

    def __init__(self, connection: Connection, keys: Mapping[TableId, ChunkKey | NoKey]) -> None:
        """`connection`: prepared by `statements.prepare`."""
        self._connection = connection
        self._keys = keys

    @property
    def least_rows(self) -> int:
        """A table of fewer rows is not split."""
        return LEAST_ROWS

    def split_points(self, table: TableId, parts: int) -> list[Bound]:
        """The bounds that split a table; none for one without a key."""
        return self._asked(table, lambda key: split_points(self._connection, table, key, parts)) or []

    def span(self, table: TableId) -> tuple[int, int] | None:
        """The least and the greatest value of the key's first column, if that is a number."""
        return self._asked(table, lambda key: span(self._connection, table, key))

    def _asked(self, table: TableId, ask: Callable[[ChunkKey], _T]) -> _T | None:
        """The answer of the server; None if there is no such table, index or column any more, or no key."""
        key = self._keys[table]
        try:
            return ask(key) if isinstance(key, ChunkKey) else None
        except SourceSetupError as error:
            if error_number(error) not in catalog.GONE | catalog.KEY_GONE:
                raise
            return None


def key_behind(connection: Connection, table: TableId, key: ChunkKey, count: int, after: Bound | None) -> Bound | None:
    """The key `count` rows after a bound; None if fewer rows follow."""
    found = rows(connection, chunk_end(table, key, after, None, count))
    return bound_of_row(key, found[0]) if found else None


def segments(points: list[Bound]) -> list[Interval]:
    """The intervals between split points; every row lies in exactly one."""
    return list(pairwise([None, *points, None]))


def _walked(connection: Connection, table: TableId, key: ChunkKey, parts: int) -> list[Bound]:
    """The keys at equal distances, found by walking along the index."""
    sql = f"SELECT COUNT(*) FROM {quoted(table.catalog)}.{quoted(table.name)}"  # noqa: S608 -- names are quoted
    ((count,),) = rows(connection, sql)
    step = count // parts
    return walked(partial(key_behind, connection, table, key, step), None, parts - 1).points if step else []


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Rows whose key begins with `prefix` and continues within (low, high] of a ruler."""

    prefix: Bound
    numbering: KeyNumbering
    low: int
    high: int
    rows: int
    is_whole: bool = False  # it can't be halved further

    @property
    def end(self) -> Bound:
        """A bound at its last key, or after it."""
        return [*self.prefix, self.numbering.value(self.high)]


class KeyRanges:
    """The pieces of one table, or of its rows after a key."""

    def __init__(self, connection: Connection, table: TableId, key: ChunkKey, after: Bound | None = None) -> None:
        self._connection = connection
        self._table = table
        self._key = key
        self._names = names_of(key, quoted(table.name))
        self._behind = [] if after is None else [inside_of(key, self._names, (after, None))]

    def whole(self) -> list[KeyRange]:
        """One piece with all rows; none if they can't be halved."""
        return self._of_column([])

    def halved(self, parts: int) -> list[KeyRange]:
        """Pieces in key order, each much smaller than a part if possible."""
        pieces = self.whole()
        for _ in range(parts * HALVINGS_OF_A_PART):
            divisible = [i for i, piece in enumerate(pieces) if not piece.is_whole]
            # Always the largest piece, so that few EXPLAINs are needed.
            at = max(divisible, key=lambda i: pieces[i].rows, default=None)
            total = sum(piece.rows for piece in pieces)
            if at is None or pieces[at].rows * parts * PIECES_OF_A_PART <= total:
                break
            pieces[at : at + 1] = self.smaller(pieces[at])
        return pieces

    def smaller(self, piece: KeyRange) -> list[KeyRange]:
        """The halves of a piece; the piece itself, marked as whole, if it can't be halved."""
        if piece.high - piece.low > 1:
            middle = (piece.low + piece.high) // 2
            return [self._key_range(piece, piece.low, middle), self._key_range(piece, middle, piece.high)]
        # One value is left, so the key's next column is halved; only an exact ruler knows that value.
        inner = self._of_column(piece.end) if piece.numbering.is_exact else []
        return inner or [KeyRange(piece.prefix, piece.numbering, piece.low, piece.high, piece.rows, is_whole=True)]

    def _key_range(self, of: KeyRange, low: int, high: int) -> KeyRange:
        return KeyRange(of.prefix, of.numbering, low, high, self._rows(of.prefix, of.numbering, low, high))

    def _of_column(self, prefix: Bound) -> list[KeyRange]:
        """One piece with all rows whose key begins with a prefix; none if the next column can't be halved."""
        if len(prefix) == len(self._key.columns):
            return []
        measure = self._numbering(self._key.columns[len(prefix)], prefix)
        if measure is None:
            return []
        return [
            KeyRange(prefix, measure, measure.low, measure.high, self._rows(prefix, measure, measure.low, measure.high))
        ]

    def _numbering(self, column: KeyColumn, prefix: Bound) -> KeyNumbering | None:
        """A ruler over the next column's values after a prefix."""
        one = ChunkKey(self._key.index, (column,))
        (value,) = expressions(one, quoted(self._table.name))
        begins = " AND ".join(self._begins(prefix)) or EVERYTHING
        found = []
        for direction in ("ASC", "DESC"):
            order = ", ".join(f"{name} {direction}" for name in self._names)
            found += rows(self._connection, f"SELECT {value} {self._from()} WHERE {begins} ORDER BY {order} LIMIT 1")
        if len(found) < 2:
            return None
        return numbering_of(column, *(bound_of_row(one, row)[0] for row in found))

    def _rows(self, prefix: Bound, measure: KeyNumbering, low: int, high: int) -> int:
        """The server's estimate of a range's rows; at the ruler's ends the range is open."""
        conditions = self._begins(prefix)
        for operator, number, end in ((">", low, measure.low), ("<=", high, measure.high)):
            if number != end:
                value = literals(self._key, [*prefix, measure.value(number)])[-1]
                at = len(prefix)
                conditions.append(compared([self._key.columns[at]], [self._names[at]], operator, [value]))
        return _explained(self._connection, self._table, self._key, " AND ".join(conditions) or EVERYTHING)

    def _begins(self, prefix: Bound) -> list[str]:
        values = literals(self._key, prefix) if prefix else []
        return [*self._behind, *(f"{name} = {value}" for name, value in zip(self._names, values, strict=False))]

    def _from(self) -> str:
        return _from(self._table, self._key, "FORCE")


def _explained(connection: Connection, table: TableId, key: ChunkKey, condition: str) -> int:
    """The server's estimate of a condition's rows; with FORCE INDEX it would not use index dives."""
    sql = f"EXPLAIN FORMAT=TRADITIONAL SELECT 1 {_from(table, key, 'USE')} WHERE {condition}"
    return int(mappings(connection, sql)[0]["rows"] or 0)


def _from(table: TableId, key: ChunkKey, hint: str) -> str:
    return f"FROM {quoted(table.catalog)}.{quoted(table.name)} {hint} INDEX ({quoted(key.index)})"


def _put_together(pieces: list[KeyRange], parts: int) -> list[Bound]:
    """The ends of pieces that are nearest to the ends of parts with equal row counts."""
    total = max(sum(piece.rows for piece in pieces), 1)
    done, part, points = 0, 1, list[Bound]()
    for piece, following in pairwise(pieces):
        done += piece.rows
        reached = int((done + following.rows / 2) * parts / total)
        if part <= reached and part < parts:
            points.append(piece.end)
            part = reached + 1
    return points
