"""The statements that read a snapshot, and the questions about key order that only the server can answer.

Rows are read with cursor stability that waits (`WITH CS WAIT FOR OUTCOME`): what the database calls "currently
committed" shows the row as it was before a change whose commit is in the log already. Db2 for z/OS always waits. Keys
at which a table is only cut are read uncommitted (`WITH UR`), as any place in the order will do.

Source: IBM Db2 documentation, "select-statement" (isolation-clause, concurrent-access-resolution-clause)
"""

# ruff: noqa: S608 -- names are quoted, values are literals
from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from tailrace.connectors.db2.connection import Session, quoted
from tailrace.connectors.db2.signal_sql import DB2_SQL
from tailrace.connectors.db2.snapshots.bounds import literals
from tailrace.connectors.db2.snapshots.keys import ChunkKey
from tailrace.connectors.shared.snapshots import key_ranges
from tailrace.connectors.shared.snapshots.key_ranges import Mask
from tailrace.schema.tables import TableId
from tailrace.snapshot.segments import Bound, Interval

ALIAS: Final = "c"
EVERYTHING: Final = "1 = 1"
COMMITTED: Final = " WITH CS WAIT FOR OUTCOME"
COMMITTED_ON_ZOS: Final = " WITH CS"
UNCOMMITTED: Final = " WITH UR"
CANDIDATES_AT_ONCE: Final = 200
_DUMMY: Final = "SYSIBM.SYSDUMMY1"


def committed(*, is_zos: bool) -> str:
    """The clause that makes a read wait for the outcome of other transactions."""
    return COMMITTED_ON_ZOS if is_zos else COMMITTED


def chunk(
    table: TableId,
    columns: Sequence[str],
    key: ChunkKey,
    interval: Interval,
    limit: int,
    isolation: str = COMMITTED,
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
        isolation: the clause for it.
        override: the user's SELECT, which replaces the table.
        condition: a signal's, for WHERE.

    Raises:
        UnsupportedError: the condition is not a single expression.

    """
    inside = _also(inside_of(key, names_of(key), interval), condition)
    found = f"SELECT {', '.join(columns)} FROM {_source(table, override)} WHERE {inside}"
    return f"{found} ORDER BY {', '.join(names_of(key))} FETCH FIRST {limit} ROWS ONLY{isolation}"


def chunk_end(table: TableId, key: ChunkKey, after: Bound | None, rows: int) -> str:
    """The SELECT of the key `rows` rows after a bound, for `bound_of_row`; no row if fewer follow."""
    found = f"SELECT {', '.join(key.exact_values(ALIAS))} FROM {_source(table, None)}"
    inside = inside_of(key, names_of(key), (after, None))
    order = ", ".join(names_of(key))
    return f"{found} WHERE {inside} ORDER BY {order} OFFSET {rows - 1} ROWS FETCH FIRST 1 ROW ONLY{UNCOMMITTED}"


def greatest(table: TableId, key: ChunkKey, isolation: str = COMMITTED, condition: str | None = None) -> str:
    """The SELECT of the greatest key, for `bound_of_row`; no row if the table is empty."""
    order = ", ".join(f"{name} DESC" for name in names_of(key))
    found = f"SELECT {', '.join(key.exact_values(ALIAS))} FROM {_source(table, None)}"
    return f"{found} WHERE {_also(EVERYTHING, condition)} ORDER BY {order} FETCH FIRST 1 ROW ONLY{isolation}"


def span(table: TableId, column: str) -> str:
    """The SELECT of the least and the greatest value of a number, as its exact form."""
    return f"SELECT MIN({column}), MAX({column}) FROM {_source(table, None)}{UNCOMMITTED}"


def count(table: TableId, most: int) -> str:
    """The SELECT of the number of rows, as far as `most`."""
    some = f"SELECT 1 AS ONE FROM {_source(table, None)} FETCH FIRST {most} ROWS ONLY"
    return f"SELECT COUNT(*) FROM ({some}) AS s{UNCOMMITTED}"


def whole(table: TableId, columns: Sequence[str], isolation: str, override: str | None = None) -> str:
    """The SELECT of all rows of a table, in no order."""
    return f"SELECT {', '.join(columns)} FROM {_source(table, override)} FOR READ ONLY{isolation}"


def none_of(table: TableId, columns: Sequence[str], override: str) -> str:
    """The SELECT of no row of the user's statement, which checks whether it can be executed."""
    return f"SELECT {', '.join(columns)} FROM {_source(table, override)} WHERE 1 = 0{UNCOMMITTED}"


def locked(table: TableId, mode: str) -> str:
    """The statement that locks a table to the transaction's end, in SHARE or EXCLUSIVE mode."""
    return f"LOCK TABLE {quoted(table.schema, table.name)} IN {mode} MODE"


def are_within(
    session: Session,
    key: ChunkKey,
    candidates: Sequence[Bound],
    intervals: Sequence[Interval],
    *,
    is_zos: bool = False,
) -> Mask:
    """Whether each candidate lies in any interval, in the server's order; shape (n,)."""
    names = [f"{ALIAS}.K{i}" for i in range(len(key.columns))]
    condition = " OR ".join(f"({inside_of(key, names, interval)})" for interval in intervals)

    def found_in(some: Sequence[Bound]) -> list[int]:
        rows = [f"{', '.join([str(i), *literals(key, bound)])}" for i, bound in enumerate(some)]
        listed = _listed(rows, len(names), is_zos=is_zos)
        return [int(number) for (number,) in session.rows(f"SELECT {ALIAS}.N FROM {listed} WHERE {condition}")]

    return key_ranges.within(candidates, intervals, CANDIDATES_AT_ONCE, found_in)


def ascending(session: Session, key: ChunkKey, points: Sequence[Bound]) -> list[Bound]:
    """The bounds that lie after all kept ones before them, in the server's order."""

    def are_behind(pairs: Sequence[tuple[Bound, Bound]]) -> Sequence[int]:
        conditions = (key_ranges.behind(literals(key, b), literals(key, a)) for a, b in pairs)
        (answers,) = session.rows(f"SELECT {', '.join(map(_answer, conditions))} FROM {_DUMMY}")
        return answers

    return key_ranges.ascending(points, are_behind)


def names_of(key: ChunkKey) -> list[str]:
    """The key's columns as SQL."""
    return [f"{ALIAS}.{quoted(name)}" for name in key.names]


def inside_of(key: ChunkKey, names: Sequence[str], interval: Interval) -> str:
    """The condition that a key lies in an interval; `names` are its columns as SQL."""
    return key_ranges.inside(names, interval, partial(literals, key)) or EVERYTHING


def _listed(rows: Sequence[str], width: int, *, is_zos: bool) -> str:
    """Rows of literals as a table; Db2 for z/OS has no VALUES there."""
    if is_zos:
        rows = [f"SELECT {row} FROM {_DUMMY}" for row in rows]
        listed = " UNION ALL ".join(rows)
    else:
        listed = f"VALUES {', '.join(f'({row})' for row in rows)}"
    return f"({listed}) AS {ALIAS} ({', '.join(['N', *(f'K{i}' for i in range(width))])})"


def _answer(condition: str) -> str:
    return f"CASE WHEN {condition} THEN 1 ELSE 0 END"


def _also(inside: str, condition: str | None) -> str:
    """Both conditions; the second one is a signal's, checked in Db2's dialect."""
    return inside if condition is None else f"({inside}) AND ({DB2_SQL.condition(condition)})"


def _source(table: TableId, override: str | None) -> str:
    if override is not None:
        return f"({override.strip().rstrip(';')}\n) AS {ALIAS}"  # the line break ends a comment at the statement's end
    return f"{quoted(table.schema, table.name)} AS {ALIAS}"
