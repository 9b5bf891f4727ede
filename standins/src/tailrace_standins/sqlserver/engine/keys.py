"""Checks UNIQUE, CHECK, FOREIGN KEY and NOT NULL constraints, of the versions that a statement has just made or ended.

Source: "Unique constraints and check constraints",
https://learn.microsoft.com/sql/relational-databases/tables/unique-constraints-and-check-constraints
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import convert, definitions, types
from tailrace_standins.sqlserver.engine.catalog import Column, Database, ForeignKey, Index, Table
from tailrace_standins.sqlserver.engine.collations import suffix
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.stored import Stored
from tailrace_standins.storage.visibility import LIVE
from tailrace_standins.storage.waiting import others_wrote, row_blocker

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_OPEN: Final = "(({0}.b<0 AND {0}.b<>?) OR ({0}.e<0 AND {0}.e<>?))"


def key_text(columns: Sequence[Column], values: Sequence[Stored]) -> str:
    """`(1, x)`, as messages about duplicates show a key."""
    shown = []
    for column, value in zip(columns, values, strict=True):
        if value is None:
            shown.append("<NULL>")
        elif isinstance(value, bytes) and types.family(column.type) == "binary":
            shown.append("0x" + value.hex())
        else:
            shown.append(str(convert.converted(value, column.type, types.text("nvarchar", -1), 121)))
    return f"({', '.join(shown)})"


def check_not_null(database: Database, table: Table, rows: Sequence[Sequence[Stored]], verb: str) -> None:
    """Raises 515."""
    for place, column in enumerate(table.stored):
        if not column.nullable and any(row[place] is None for row in rows):
            raise error(515, column.name, f"{database.name}.{table.schema}.{table.name}", verb)


def check_unique(
    session: EngineSession,
    transaction: Transaction,
    table: Table,
    rids: Sequence[int],
    rows: Sequence[Sequence[Stored]],
    before: Sequence[Sequence[Stored]] | None = None,
) -> None:
    """Check new versions against all unique indexes; raises 2627 or 2601, or waits for the transaction that holds the key."""
    places = {column.id: place for place, column in enumerate(table.stored)}
    for index in table.indexes:
        if not index.is_enforced or any(column not in places for column, _ in index.columns):
            continue
        keys = [places[column] for column, _ in index.columns]
        where = " AND ".join(f"{table.stored[k].slot}{suffix(table.stored[k].type)} IS ?" for k in keys)
        sql = f"SELECT b, e FROM {table.storage} WHERE {where} AND rid<>? AND (e={LIVE} OR (e<0 AND e<>?))"
        for place, (rid, row) in enumerate(zip(rids, rows, strict=True)):
            values = [row[k] for k in keys]
            if before is not None and values == [before[place][k] for k in keys]:
                continue
            for b, e in session.connection.rows(sql, [*values, rid, transaction.mark]):
                _duplicate(transaction, table, index, b, e, key_text([table.stored[k] for k in keys], values))


def _duplicate(transaction: Transaction, table: Table, index: Index, b: int, e: int, key: str) -> None:
    if e < 0:
        raise row_blocker(e)
    if b < 0 and b != transaction.mark:
        raise row_blocker(b)
    name = f"{table.schema}.{table.name}"
    if index.constraint_id:
        raise error(2627, "PRIMARY KEY" if index.primary else "UNIQUE KEY", index.name, name, key)
    raise error(2601, name, index.name, key)


def check_constraints(session: EngineSession, database: Database, table: Table, rids: Sequence[int], verb: str) -> None:
    """CHECK and FOREIGN KEY for new versions, and NOT NULL of columns that are computed; raises 547, 515."""
    if not rids:
        return
    bounds = (min(rids), max(rids))
    _check_computed(session, database, table, bounds, verb)
    for check in table.checks:
        condition = definitions.computed_condition(session, table, check.text)
        if session.connection.rows(
            f"SELECT 1 FROM {table.storage} WHERE rid BETWEEN ? AND ? AND NOT {condition} LIMIT 1", bounds
        ):
            raise error(547, verb, "CHECK", check.name, database.name, f"{table.schema}.{table.name}", "")
    for key in table.foreign_keys:
        parent = database.by_id[key.table_id]
        _wait_for_parents(session, key, parent, table, bounds)
        given = " AND ".join(f"c.{table.by_id[column].slot} IS NOT NULL" for column in key.columns)
        parents = parents_of(key, parent, table)
        sql = f"SELECT 1 FROM {table.storage} c WHERE c.rid BETWEEN ? AND ? AND {given} AND NOT EXISTS ({parents}) LIMIT 1"
        if session.connection.rows(sql, bounds):
            shown = f", column '{parent.by_id[key.referenced[0]].name}'" if len(key.columns) == 1 else ""
            raise error(547, verb, "FOREIGN KEY", key.name, database.name, f"{parent.schema}.{parent.name}", shown)


def _check_computed(
    session: EngineSession, database: Database, table: Table, bounds: tuple[int, int], verb: str
) -> None:
    for column in table.columns:
        if column.computed and column.persisted and not column.nullable:
            missing = definitions.computed_condition(session, table, f"({column.computed}) IS NULL")
            sql = f"SELECT 1 FROM {table.storage} WHERE rid BETWEEN ? AND ? AND {missing} LIMIT 1"
            if session.connection.rows(sql, bounds):
                raise error(515, column.name, f"{database.name}.{table.schema}.{table.name}", verb)


def parents_of(key: ForeignKey, parent: Table, child: Table) -> str:
    """A query for the parents of a row `c` of the child table."""
    return f"SELECT 1 FROM {parent.storage} p WHERE {_pairs(key, parent, child)} AND p.e={LIVE}"


def _pairs(key: ForeignKey, parent: Table, child: Table) -> str:
    pairs = zip(key.columns, key.referenced, strict=True)
    return " AND ".join(
        f"p.{parent.by_id[b].slot}{suffix(parent.by_id[b].type)} = c.{child.by_id[a].slot}" for a, b in pairs
    )


def _wait_for_parents(
    session: EngineSession, key: ForeignKey, parent: Table, child: Table, bounds: tuple[int, int]
) -> None:
    """Wait for other transactions that made or ended parents of new rows: only their end decides whether the parents exist."""
    sql = (
        f"SELECT p.b, p.e FROM {child.storage} c JOIN {parent.storage} p ON {_pairs(key, parent, child)} "
        f"WHERE c.rid BETWEEN ? AND ? AND {_OPEN.format('p')} LIMIT 1"
    )
    _wait_for_others(session, parent, sql, bounds)


def _wait_for_others(session: EngineSession, table: Table, sql: str, values: Sequence[Stored]) -> None:
    if not others_wrote(session, table.storage):
        return
    mark = session.transaction.mark if session.transaction is not None else 0
    for b, e in session.connection.rows(sql, [*values, mark, mark]):
        raise row_blocker(b if b < 0 and b != mark else e)


def check_references(
    session: EngineSession, database: Database, table: Table, rows: Sequence[Sequence[Stored]], verb: str
) -> None:
    """Rows that were ended must not be referenced any more; raises 547."""
    places = {column.id: place for place, column in enumerate(table.stored)}
    for child in database.by_id.values():
        for key in child.foreign_keys:
            if key.table_id != table.id:
                continue
            pairs = list(zip(key.columns, key.referenced, strict=True))
            same = " AND ".join(f"c.{child.by_id[a].slot}{suffix(child.by_id[a].type)} = ?" for a, _ in pairs)
            open_rows = f"SELECT c.b, c.e FROM {child.storage} c WHERE {same} AND {_OPEN.format('c')} LIMIT 1"
            for row in rows:
                _wait_for_others(session, child, open_rows, [row[places[b]] for _, b in pairs])
            parents = parents_of(key, table, child)
            sql = f"SELECT 1 FROM {child.storage} c WHERE {same} AND c.e={LIVE} AND NOT EXISTS ({parents}) LIMIT 1"
            if any(session.connection.rows(sql, [row[places[b]] for _, b in pairs]) for row in rows):
                shown = f", column '{child.by_id[key.columns[0]].name}'" if len(pairs) == 1 else ""
                raise error(547, verb, "REFERENCE", key.name, database.name, f"{child.schema}.{child.name}", shown)
