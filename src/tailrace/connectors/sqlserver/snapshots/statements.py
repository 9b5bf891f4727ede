"""The statements that read a snapshot, and the questions about key order that only the server can answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from tailrace.connectors.shared.snapshots import key_ranges
from tailrace.connectors.shared.snapshots.key_ranges import Mask
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.signal_sql import T_SQL
from tailrace.connectors.sqlserver.snapshots.bounds import literals
from tailrace.connectors.sqlserver.snapshots.keys import ChunkKey
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

ALIAS: Final = "c"
EVERYTHING: Final = "1 = 1"
RECOMPILE: Final = " OPTION (RECOMPILE)"
CANDIDATES_AT_ONCE: Final = 500  # a VALUES list may have 1,000 rows


def chunk(
    table: TableId,
    columns: Sequence[str],
    key: ChunkKey,
    interval: Interval,
    limit: int | None = None,
    hint: str = "",
    override: str | None = None,
    condition: str | None = None,
) -> str:
    """The SELECT of an interval's rows, in key order.

    Args:
        table: to read.
        columns: expressions of the SELECT list; the table's alias is `ALIAS`.
        key: of the table.
        interval: of keys.
        limit: the greatest number of rows.
        hint: a table hint such as READCOMMITTEDLOCK; "": none.
        override: the user's SELECT, which replaces the table.
        condition: a signal's, for WHERE.

    Raises:
        UnsupportedError: the condition is not a single expression.

    """
    top = "" if limit is None else f"TOP ({limit}) "
    found = f"SELECT {top}{', '.join(columns)} FROM {_source(table, hint, override)}"  # noqa: S608 -- names are quoted
    inside = _also(inside_of(key, names_of(key), interval), condition)
    return f"{found} WHERE {inside} ORDER BY {', '.join(names_of(key))}"


def chunk_end(table: TableId, key: ChunkKey, after: Bound | None, rows: int) -> str:
    """The SELECT of the key `rows` rows after a bound, for `bound_of_row`; no row if fewer follow."""
    found = chunk(table, key.exact_values(ALIAS), key, (after, None))
    return f"{found} OFFSET {rows - 1} ROWS FETCH NEXT 1 ROWS ONLY"


def greatest(table: TableId, key: ChunkKey, hint: str = "", condition: str | None = None) -> str:
    """The SELECT of the greatest key, for `bound_of_row`; no row if the table is empty."""
    order = ", ".join(f"{name} DESC" for name in names_of(key))
    found = f"SELECT TOP (1) {', '.join(key.exact_values(ALIAS))} FROM {_source(table, hint, None)}"  # noqa: S608 -- quoted
    return f"{found} WHERE {_also(EVERYTHING, condition)} ORDER BY {order}"


def whole(table: TableId, columns: Sequence[str], hint: str = "", override: str | None = None) -> str:
    """The SELECT of all rows of a table, in no order."""
    return f"SELECT {', '.join(columns)} FROM {_source(table, hint, override)}"  # noqa: S608 -- names are quoted


def none_of(table: TableId, columns: Sequence[str], override: str) -> str:
    """The SELECT of no row of the user's statement, which checks whether it can be executed."""
    return f"SELECT TOP (0) {', '.join(columns)} FROM {_source(table, '', override)}"  # noqa: S608 -- as above


def are_within(session: Session, key: ChunkKey, candidates: Sequence[Bound], intervals: Sequence[Interval]) -> Mask:
    """Whether each candidate lies in any interval, in the server's order; shape (n,)."""
    columns = [f"k{i}" for i in range(len(key.columns))]
    inner = [f"{ALIAS}.{name}" for name in columns]
    condition = " OR ".join(f"({inside_of(key, inner, interval)})" for interval in intervals)

    def found_in(some: Sequence[Bound]) -> list[int]:
        rows = ", ".join(f"({', '.join([str(i), *literals(key, bound)])})" for i, bound in enumerate(some))
        listed = f"(VALUES {rows}) AS {ALIAS} ({', '.join(['n', *columns])})"
        return [number for (number,) in session.rows(f"SELECT {ALIAS}.n FROM {listed} WHERE {condition}")]  # noqa: S608

    return key_ranges.within(candidates, intervals, CANDIDATES_AT_ONCE, found_in)


def ascending(session: Session, key: ChunkKey, points: Sequence[Bound]) -> list[Bound]:
    """The bounds that lie after all kept ones before them, in the server's order."""

    def are_behind(pairs: Sequence[tuple[Bound, Bound]]) -> Sequence[int]:
        conditions = (key_ranges.behind(literals(key, b), literals(key, a)) for a, b in pairs)
        (answers,) = session.rows(f"SELECT {', '.join(f'CASE WHEN {each} THEN 1 ELSE 0 END' for each in conditions)}")
        return answers

    return key_ranges.ascending(points, are_behind)


def names_of(key: ChunkKey) -> list[str]:
    """The key's columns as SQL."""
    return [f"{ALIAS}.{quoted(name)}" for name in key.names]


def inside_of(key: ChunkKey, names: Sequence[str], interval: Interval) -> str:
    """The condition that a key lies in an interval; `names` are its columns as SQL."""
    return key_ranges.inside(names, interval, partial(literals, key)) or EVERYTHING


def _also(inside: str, condition: str | None) -> str:
    """Both conditions; the second one is a signal's, checked in the T-SQL dialect."""
    return inside if condition is None else f"({inside}) AND ({T_SQL.condition(condition)})"


def _source(table: TableId, hint: str, override: str | None) -> str:
    if override is not None:
        return f"({override.strip().rstrip(';')}\n) AS {ALIAS}"  # the line break ends a comment at the statement's end
    return f"{quoted(table.schema, table.name)} AS {ALIAS}{f' WITH ({hint})' if hint else ''}"
