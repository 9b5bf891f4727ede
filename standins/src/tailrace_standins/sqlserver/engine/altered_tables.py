"""Applies ALTER TABLE to tables and their rows: added, altered and dropped columns, constraints.

Source: "ALTER TABLE", https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import definitions, parsing, tree
from tailrace_standins.sqlserver.engine.catalog import Column, Database, ForeignKey, Index, Table
from tailrace_standins.sqlserver.engine.collations import suffix
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.compiling.values import conversion_number
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.parsing.lexer import tokens
from tailrace_standins.sqlserver.engine.scope import Scope
from tailrace_standins.storage.visibility import LIVE

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def added(session: EngineSession, database: Database, table: Table, statement: tree.AlterTable) -> Table:
    """ALTER TABLE … ADD; raises 4901, 547, 1505."""
    old = table
    for definition in statement.columns:
        table = definitions.with_column(session, table, definition)
        if not definition.computed:
            _fill(session, table, table.columns[-1], fills_rows=definition.fills_rows)
        for constraint in definition.constraints:
            table = definitions.with_constraint(session, table, constraint)
    for constraint in statement.constraints:
        table = definitions.with_constraint(session, table, constraint)
    for index in table.indexes:
        if all(index.name != other.name for other in old.indexes):
            check_unique(session, table, index, 1505)
            session.connection.execute(definitions.index_statement(table, index))
    _check_rows(session, table, old)
    for key in table.foreign_keys[len(old.foreign_keys) :]:
        _check_parents(session, database, table, key)
    return table


def _check_parents(session: EngineSession, database: Database, table: Table, key: ForeignKey) -> None:
    """Check existing rows against a new foreign key; raises 547."""
    from tailrace_standins.sqlserver.engine.keys import parents_of

    parent = table if key.table_id == table.id else database.by_id[key.table_id]
    given = " AND ".join(f"c.{table.by_id[column].slot} IS NOT NULL" for column in key.columns)
    parents = parents_of(key, parent, table)
    sql = f"SELECT 1 FROM {table.storage} c WHERE c.e={LIVE} AND {given} AND NOT EXISTS ({parents}) LIMIT 1"
    if session.connection.rows(sql):
        shown = f", column '{parent.by_id[key.referenced[0]].name}'" if len(key.columns) == 1 else ""
        raise error(547, "ALTER TABLE", "FOREIGN KEY", key.name, database.name, f"{parent.schema}.{parent.name}", shown)


def _check_rows(session: EngineSession, table: Table, old: Table) -> None:
    for check in table.checks[len(old.checks) :]:
        condition = definitions.computed_condition(session, table, check.text)
        if session.connection.rows(f"SELECT 1 FROM {table.storage} WHERE e={LIVE} AND NOT {condition} LIMIT 1"):
            raise error(547, "ALTER TABLE", "CHECK", check.name, session.database, f"{table.schema}.{table.name}", "")


def _fill(session: EngineSession, table: Table, column: Column, *, fills_rows: bool) -> None:
    """A new column's values in rows that are there: NULL, or the default (NOT NULL, WITH VALUES); raises 4901."""
    existing = {name for _, name, *_ in session.connection.rows(f"PRAGMA table_info(t{table.id})")}
    if column.slot not in existing:
        session.connection.execute(f"ALTER TABLE {table.storage} ADD COLUMN {column.slot}")
    else:
        session.connection.execute(f"UPDATE {table.storage} SET {column.slot}=NULL")
    rids = [rid for (rid,) in session.connection.rows(f"SELECT rid FROM {table.storage} ORDER BY rid")]
    if column.identity:
        seed, step = column.identity
        session.connection.many(
            f"UPDATE {table.storage} SET {column.slot}=? WHERE rid=?",
            [(seed + i * step, rid) for i, rid in enumerate(rids)],
        )
        if rids:
            session.engine.identities[table.id] = seed + (len(rids) - 1) * step
    elif column.default and (fills_rows or not column.nullable):
        compiler = QueryCompiler(session)
        value = compiler.converted(compiler.value(parsing.expression(column.default.text), Scope()), column.type)
        session.connection.execute(f"UPDATE {table.storage} SET {column.slot}={value.sql}")
    elif not column.nullable and column.type.name != "timestamp" and rids:
        raise error(4901, column.name, table.name)


def altered(session: EngineSession, table: Table, definition: tree.ColumnDefinition) -> Table:
    """ALTER COLUMN: values are converted into a new slot, so that the old ones are there after a rollback."""
    column = table.by_name.get(definition.name.lower())
    if column is None:
        raise error(4924, "ALTER COLUMN", definition.name, table.name)
    assert definition.type is not None  # noqa: S101  # ALTER COLUMN gives one
    of = definitions.collated(session, definition.type)
    nullable = definition.nullable if definition.nullable is not None else not definition.alias
    if not nullable and session.connection.rows(
        f"SELECT 1 FROM {table.storage} WHERE e={LIVE} AND {column.slot} IS NULL LIMIT 1"
    ):
        raise error(515, column.name, f"{session.database}.{table.schema}.{table.name}", "UPDATE")
    for index in table.indexes:
        if any(key == column.id for key, _ in index.columns) and of.name != column.type.name:
            raise error(5074, "index" if not index.constraint_id else "object", index.name, column.name)
    if (user := computed_from(table, column.name)) is not None:
        raise error(5074, "column", user.name, column.name)
    slot = f"{column.slot}_{session.engine.catalog.new_id()}"
    number = conversion_number(
        column.type, of, 0, (f"{session.database}.{table.schema}.{table.name}", column.name), is_try=False
    )
    session.connection.execute(f"ALTER TABLE {table.storage} ADD COLUMN {slot}")
    session.connection.execute(
        f"UPDATE {table.storage} SET {slot}={column.slot if number is None else f'conv({number},{column.slot})'}"
    )
    new = definitions.changed(table, replace(column, type=of, nullable=nullable, slot=slot, alias=definition.alias))
    for index in new.indexes:
        session.connection.execute(definitions.index_statement(new, index))
    return new


def dropped(table: Table, kind: str, name: str, *, if_exists: bool) -> Table:
    """ALTER TABLE … DROP of a column or a constraint; raises 4924, 5074, 3728."""
    if kind == "COLUMN":
        return _without_column(table, name, if_exists=if_exists)
    key = name.lower()
    for index in table.indexes:
        if index.name.lower() == key and index.constraint_id:
            return replace(table, indexes=tuple(i for i in table.indexes if i is not index))
    if any(check.name.lower() == key for check in table.checks):
        return replace(table, checks=tuple(c for c in table.checks if c.name.lower() != key))
    if any(each.name.lower() == key for each in table.foreign_keys):
        return replace(table, foreign_keys=tuple(k for k in table.foreign_keys if k.name.lower() != key))
    for column in table.columns:
        if column.default and column.default.name.lower() == key:
            return definitions.changed(table, replace(column, default=None))
    if if_exists:
        return table
    raise error(3728, name)


def mentions(text: str, name: str) -> bool:
    """Whether an expression's text has a column's name."""
    return any(token.kind in {"word", "quoted"} and token.text.lower() == name.lower() for token in tokens(text))


def computed_from(table: Table, name: str) -> Column | None:
    """A computed column that needs the column of that name."""
    return next((c for c in table.columns if c.computed and mentions(c.computed, name)), None)


def _without_column(table: Table, name: str, *, if_exists: bool) -> Table:
    column = table.by_name.get(name.lower())
    if column is None:
        if if_exists:
            return table
        raise error(4924, "DROP COLUMN", name, table.name)
    for index in table.indexes:
        if any(key == column.id for key, _ in index.columns):
            raise error(5074, "object" if index.constraint_id else "index", index.name, name)
    if column.default is not None:
        raise error(5074, "object", column.default.name, name)
    for key in table.foreign_keys:
        if column.id in key.columns:
            raise error(5074, "object", key.name, name)
    for check in table.checks:
        if mentions(check.text, name):
            raise error(5074, "object", check.name, name)
    if (user := computed_from(table, name)) is not None:
        raise error(5074, "column", user.name, name)
    return replace(table, columns=tuple(c for c in table.columns if c.id != column.id))


def check_unique(session: EngineSession, table: Table, index: Index, number: int) -> None:
    """Rows that are there must fit a unique index; raises `number`."""
    if not index.is_enforced:
        return
    columns = [table.by_id[key] for key, _ in index.columns]
    keys = ", ".join(f"{c.slot}{suffix(c.type)}" for c in columns)
    found = session.connection.rows(
        f"SELECT {', '.join(c.slot for c in columns)} FROM {table.storage} WHERE e={LIVE} "
        f"GROUP BY {keys} HAVING COUNT(*) > 1 LIMIT 1"
    )
    if found:
        from tailrace_standins.sqlserver.engine.keys import key_text

        raise error(number, f"{table.schema}.{table.name}", index.name, key_text(columns, found[0]))
