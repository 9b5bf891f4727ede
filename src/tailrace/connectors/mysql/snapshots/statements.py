"""The statements that read a snapshot, and the questions about key order that only the server can answer.

A chunk is the rows with after < key <= upto, in key order. For a key of several columns the comparison is written as a
>= x AND ((a > x) OR (a = x AND b > y)), of which MySQL makes one range of the index. It does not for (a, b) > (x, y).
Nor does it for "greater than" of an ENUM; that is written as a list of values. No statement takes a lock.

Columns are qualified with their table, so that an expression of the SELECT list with a column's name as its alias does
not change the order.

Source: MySQL Reference Manual, "Range Optimization", "Index Hints", "VALUES Statement".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from tailrace.connectors.mysql.catalog import Server, quoted
from tailrace.connectors.mysql.connection import Connection, execute, rows
from tailrace.connectors.mysql.signal_sql import MYSQL
from tailrace.connectors.mysql.snapshots.bounds import expressions, literals
from tailrace.connectors.mysql.snapshots.keys import ChunkKey, KeyColumn, Kind
from tailrace.connectors.shared.snapshots import key_ranges
from tailrace.connectors.shared.snapshots.key_ranges import Mask
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

HAS_VALUES: Final = (8, 0, 19)  # since then VALUES ROW(...) may stand for a table
CANDIDATES_AT_ONCE: Final = 1000
PARTS_OF_A_UNION: Final = 200  # in an older server each takes some of a thread's stack
EVERYTHING: Final = "TRUE"
SESSION: Final = (
    "SET SESSION time_zone = '+00:00', SESSION sql_mode = 'ALLOW_INVALID_DATES', SESSION character_set_client = utf8mb4"
)


def prepare(connection: Connection) -> None:
    """Set what bounds and a signal's conditions rely on, whatever initial statements have set.

    TIMESTAMPs are read and compared in UTC, invalid dates may be compared, and quotes mean what `signalled_sql.py`
    takes them for.
    """
    execute(connection, SESSION)


def chunk(
    table: TableId,
    columns: Sequence[str],
    key: ChunkKey,
    after: Bound | None,
    upto: Bound | None,
    limit: int | None = None,
    override: str | None = None,
    condition: str | None = None,
) -> str:
    """The SELECT of an interval's rows, in key order.

    Args:
        table: to read.
        columns: expressions of the SELECT list.
        key: of the table.
        after: rows after it; None: from the first one on.
        upto: rows up to and including it; None: up to the last one.
        limit: the greatest number of rows.
        override: the user's SELECT, which replaces the table.
        condition: a signal's, for WHERE.

    Raises:
        UnsupportedError: the condition is not a single expression.

    """
    names = names_of(key, quoted(table.name))
    order = ", ".join(names)
    found = f"SELECT {', '.join(columns)} FROM {_source(table, key, override)}"  # noqa: S608 -- names are quoted
    found += f" WHERE {_also(inside_of(key, names, (after, upto)), condition)} ORDER BY {order}"
    return found if limit is None else f"{found} LIMIT {limit}"


def chunk_end(
    table: TableId,
    key: ChunkKey,
    after: Bound | None,
    upto: Bound | None,
    limit: int,
    override: str | None = None,
) -> str:
    """The SELECT of the last key of a chunk of `limit` rows, for `bound_of_row`; no row if the interval has fewer."""
    columns = expressions(key, quoted(table.name))
    return f"{chunk(table, columns, key, after, upto, override=override)} LIMIT 1 OFFSET {limit - 1}"


def greatest(table: TableId, key: ChunkKey, condition: str | None = None) -> str:
    """The SELECT of the greatest key, for `bound_of_row`; no row if the table is empty."""
    columns = ", ".join(expressions(key, quoted(table.name)))
    order = ", ".join(f"{name} DESC" for name in names_of(key, quoted(table.name)))
    found = f"SELECT {columns} FROM {_source(table, key, None)}"  # noqa: S608 -- names are quoted
    return f"{found} WHERE {_also(EVERYTHING, condition)} ORDER BY {order} LIMIT 1"


def whole(table: TableId, columns: Sequence[str], override: str | None = None) -> str:
    """The SELECT of all rows of a table, in no order."""
    return f"SELECT {', '.join(columns)} FROM {_source(table, None, override)}"  # noqa: S608 -- names are quoted


def within(server: Server, key: ChunkKey, candidates: Sequence[Bound], intervals: Sequence[Interval]) -> str:
    """The SELECT that finds the candidates in any of the intervals: their numbers, from 0.

    Args:
        server: on which it is executed.
        key: whose order counts.
        candidates: complete bounds, with an entry for each column of the key.
        intervals: at least one.

    """
    inner = [f"c.k{i}" for i in range(len(key.columns))]
    condition = " OR ".join(f"({inside_of(key, inner, interval)})" for interval in intervals)
    return f"SELECT c.n FROM ({_as_table(server, key, candidates)} WHERE {condition}"  # noqa: S608 -- literals are checked


def are_within(
    connection: Connection,
    server: Server,
    key: ChunkKey,
    candidates: Sequence[Bound],
    intervals: Sequence[Interval],
) -> Mask:
    """Whether each candidate lies in any interval, in the server's order; shape (n,)."""

    def found_in(some: Sequence[Bound]) -> list[int]:
        return [number for (number,) in rows(connection, within(server, key, some, intervals))]

    size = CANDIDATES_AT_ONCE if server.version >= HAS_VALUES else PARTS_OF_A_UNION
    return key_ranges.within(candidates, intervals, size, found_in)


def ascending(connection: Connection, key: ChunkKey, points: Sequence[Bound]) -> list[Bound]:
    """The bounds that lie after all kept ones before them, in the server's order."""

    def are_behind(pairs: Sequence[tuple[Bound, Bound]]) -> Sequence[Any]:
        one = _one(key.columns)
        questions = [key_ranges.behind(literals(key, b), literals(key, a), one) for a, b in pairs]
        (answers,) = rows(connection, f"SELECT {', '.join(questions)}")
        return answers

    return key_ranges.ascending(points, are_behind)


def names_of(key: ChunkKey, table: str) -> list[str]:
    """The key's columns as SQL; `table` is a quoted name."""
    return [f"{table}.{quoted(name)}" for name in key.names]


def inside_of(key: ChunkKey, names: Sequence[str], interval: Interval) -> str:
    """The condition that a key lies in an interval; `names` are its columns as SQL."""
    return key_ranges.inside(names, interval, partial(literals, key), _one(key.columns)) or EVERYTHING


def compared(columns: Sequence[KeyColumn], names: Sequence[str], operator: str, values: Sequence[str]) -> str:
    """A comparison (>, >=, < or <=) of as many columns as there are values, in a form that is one range of an index."""
    return key_ranges.compared(names, operator, values, _one(columns))


def _one(columns: Sequence[KeyColumn]) -> key_ranges.One:
    """Compares one of these columns."""
    return lambda number, name, operator, value: _compared(columns[number], name, operator, value)


def _compared(column: KeyColumn, name: str, operator: str, value: str) -> str:
    if column.kind is not Kind.ENUM:
        return key_ranges.plainly(0, name, operator, value)
    number, most = int(value), len(column.labels)  # MySQL uses an ENUM's index for equality only, not for ranges
    numbers = range(number, most + 1) if operator[0] == ">" else range(number + 1)
    listed = [str(n) for n in numbers if n != number or operator[1:] == "="]
    return f"{name} IN ({', '.join(listed)})" if listed else "FALSE"


def _also(inside: str, condition: str | None) -> str:
    """Both conditions; the second one is a signal's, checked in the dialect of `SESSION`."""
    return inside if condition is None else f"({inside}) AND ({MYSQL.condition(condition)})"


def _source(table: TableId, key: ChunkKey | None, override: str | None) -> str:
    name = quoted(table.name)
    if override is not None:
        return f"({override.strip().rstrip(';')}\n) AS {name}"  # the line break ends a comment at the statement's end
    # Otherwise the optimiser might sort the rest of the table for each chunk, or read it by another index.
    hint = f" FORCE INDEX ({quoted(key.index)})" if key and key.index else ""
    return f"{quoted(table.catalog)}.{name}{hint}"


def _as_table(server: Server, key: ChunkKey, candidates: Sequence[Bound]) -> str:
    """Numbered candidates as a derived table, to follow "FROM ("."""
    names = ["n", *(f"k{i}" for i in range(len(key.columns)))]
    numbered = ([str(i), *literals(key, bound)] for i, bound in enumerate(candidates))
    if server.version >= HAS_VALUES:
        made = ", ".join("ROW(" + ", ".join(row) + ")" for row in numbered)
        return f"VALUES {made}) AS c ({', '.join(names)})"
    first, *others = numbered
    named = ", ".join(f"{value} AS {name}" for value, name in zip(first, names, strict=True))
    return " UNION ALL SELECT ".join([f"SELECT {named}", *map(", ".join, others)]) + ") AS c"
