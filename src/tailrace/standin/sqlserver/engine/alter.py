"""ALTER TABLE, sp_rename, and what changes of definitions share.

Source: "ALTER TABLE", https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace.standin.sqlserver.engine import definitions, parse, tree
from tailrace.standin.sqlserver.engine.catalog import Column, Database, Index, Table
from tailrace.standin.sqlserver.engine.collations import suffix
from tailrace.standin.sqlserver.engine.compile_expressions import conversion_number
from tailrace.standin.sqlserver.engine.compile_queries import LIVE, QueryCompiler
from tailrace.standin.sqlserver.engine.connection import Connection
from tailrace.standin.sqlserver.engine.errors import error
from tailrace.standin.sqlserver.engine.locks import SCHEMA
from tailrace.standin.sqlserver.engine.log import Operation, Record
from tailrace.standin.sqlserver.engine.scope import Scope
from tailrace.standin.sqlserver.engine.system import SystemView
from tailrace.standin.sqlserver.engine.transactions import Transaction, Undo, write
from tailrace.standin.sqlserver.session import Affected, Outcome, SqlError

if TYPE_CHECKING:
    from tailrace.standin.sqlserver.engine.session import EngineSession


def found_table(session: EngineSession, names: tuple[str, ...], number: int) -> tuple[Database, Table]:
    """The table of that name; raises `number` where there is none."""
    try:
        database, table = QueryCompiler(session).table(names)
    except SqlError as problem:
        if problem.number != 208:
            raise
        raise error(number if number != 1088 else 4902, ".".join(names)) from None
    if isinstance(table, SystemView):
        raise error(4902, ".".join(names))
    return database, table


def lock_schema(session: EngineSession, table: Table) -> None:
    """Sch-M on a table, to the transaction's end; outside of one only until nobody holds anything."""
    keep = session.transaction is not None
    session.engine.locks.acquire(
        session.id,
        ("table", table.id),
        SCHEMA,
        timeout=session.lock_timeout,
        priority=session.deadlock_priority,
        keep=keep,
    )


def changing(
    session: EngineSession, transaction: Transaction, database: Database, old: Table | None, new: Table | None,
    operation: Operation, *,
    drop_on_undo: bool = False, text: str = "",
) -> None:  # fmt: skip
    """Put a new definition into the catalog, with the way back."""
    catalog = session.engine.catalog
    shown = new or old
    assert shown is not None  # noqa: S101  # one of both is there
    if new is not None:
        new = replace(new, modified=session.engine.now_utc()[:23])
        database.put(new)
    else:
        database.remove(shown.id)
    catalog.changed()

    def undo(connection: Connection) -> None:
        if old is not None:
            database.put(old)
        else:
            database.remove(shown.id)
        if drop_on_undo:
            connection.execute(f"DROP TABLE IF EXISTS {shown.storage}")
        catalog.changed()

    transaction.undo.append(Undo(action=undo))
    transaction.records.append(
        Record(database, new or shown, operation, statement=transaction.statements, text=text, old=old)
    )


def alter_table(session: EngineSession, statement: tree.AlterTable) -> Iterator[Outcome]:
    """ALTER TABLE; raises 4902, 4901, 4924, 5074 and its like."""
    session.finish_reading()
    database, table = found_table(session, statement.names, 4902)
    lock_schema(session, table)

    def work(transaction: Transaction) -> None:
        current = database.by_id[table.id]
        session.engine.allow(Record(database, current, Operation.ALTER_TABLE))
        if statement.action == "ADD":
            new = _added(session, transaction, current, statement)
        elif statement.action == "ALTER COLUMN":
            new = _altered(session, transaction, current, statement.columns[0])
        else:
            new = current
            for kind, name in statement.dropped:
                new = _dropped(new, kind, name, if_exists=statement.if_exists)
        changing(session, transaction, database, current, new, Operation.ALTER_TABLE, text=statement.text_in_log)

    write(session, work)
    yield Affected(None, "ALTER TABLE")


def _added(session: EngineSession, transaction: Transaction, table: Table, statement: tree.AlterTable) -> Table:
    old = table
    for definition in statement.columns:
        table = definitions.with_column(session, table, definition)
        if not definition.computed:
            _fill(session, transaction, table, table.columns[-1])
        for constraint in definition.constraints:
            table = definitions.with_constraint(session, table, constraint)
    for constraint in statement.constraints:
        table = definitions.with_constraint(session, table, constraint)
    for index in table.indexes:
        if all(index.name != other.name for other in old.indexes):
            check_unique(session, table, index, 1505)
            session.connection.execute(definitions.index_statement(table, index))
    _check_rows(session, table, old)
    return table


def _check_rows(session: EngineSession, table: Table, old: Table) -> None:
    for check in table.checks[len(old.checks) :]:
        condition = definitions.computed_condition(session, table, check.text)
        if session.connection.rows(f"SELECT 1 FROM {table.storage} WHERE e={LIVE} AND NOT {condition} LIMIT 1"):
            raise error(547, "ALTER TABLE", "CHECK", check.name, session.database, f"{table.schema}.{table.name}", "")


def _fill(session: EngineSession, transaction: Transaction, table: Table, column: Column) -> None:
    """A new column's values in rows that are there: NULL, or the default where it is NOT NULL; raises 4901."""
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
    elif column.default and not column.nullable:
        compiler = QueryCompiler(session)
        value = compiler.converted(compiler.value(parse.expression(column.default.text), Scope()), column.type)
        session.connection.execute(f"UPDATE {table.storage} SET {column.slot}={value.sql}")
    elif not column.nullable and column.type.name != "timestamp" and rids:
        raise error(4901, column.name, table.name)
    del transaction


def _altered(
    session: EngineSession, transaction: Transaction, table: Table, definition: tree.ColumnDefinition
) -> Table:
    """ALTER COLUMN: values are converted into a new slot, so that the old ones are there after a rollback."""
    del transaction
    column = table.by_name.get(definition.name.lower())
    if column is None:
        raise error(4924, "ALTER COLUMN", definition.name, table.name)
    assert definition.type is not None  # noqa: S101  # ALTER COLUMN gives one
    of = definitions.collated(session, definition.type)
    nullable = definition.nullable if definition.nullable is not None else True
    if not nullable and session.connection.rows(
        f"SELECT 1 FROM {table.storage} WHERE e={LIVE} AND {column.slot} IS NULL LIMIT 1"
    ):
        raise error(515, column.name, f"{session.database}.{table.schema}.{table.name}", "UPDATE")
    for index in table.indexes:
        if any(key == column.id for key, _ in index.columns) and of.name != column.type.name:
            raise error(5074, "index" if not index.constraint_id else "object", index.name, column.name)
    slot = f"{column.slot}_{session.engine.catalog.new_id()}"
    number = conversion_number(
        column.type, of, 0, (f"{session.database}.{table.schema}.{table.name}", column.name), is_try=False
    )
    session.connection.execute(f"ALTER TABLE {table.storage} ADD COLUMN {slot}")
    session.connection.execute(
        f"UPDATE {table.storage} SET {slot}={column.slot if number is None else f'conv({number},{column.slot})'}"
    )
    new = definitions.changed(table, replace(column, type=of, nullable=nullable, slot=slot))
    for index in new.indexes:
        session.connection.execute(definitions.index_statement(new, index))
    return new


def _dropped(table: Table, kind: str, name: str, *, if_exists: bool) -> Table:
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
        if (
            name.lower()
            in check.text.lower().replace("[", " ").replace("]", " ").replace("(", " ").replace(")", " ").split()
        ):
            raise error(5074, "object", check.name, name)
    return replace(table, columns=tuple(c for c in table.columns if c.id != column.id))


def check_unique(session: EngineSession, table: Table, index: Index, number: int) -> None:
    """Rows that are there must fit a unique index; raises `number`."""
    if not index.unique:
        return
    columns = [table.by_id[key] for key, _ in index.columns]
    keys = ", ".join(f"{c.slot}{suffix(c.type)}" for c in columns)
    found = session.connection.rows(
        f"SELECT {', '.join(c.slot for c in columns)} FROM {table.storage} WHERE e={LIVE} "
        f"GROUP BY {keys} HAVING COUNT(*) > 1 LIMIT 1"
    )
    if found:
        from tailrace.standin.sqlserver.engine.keys import key_text

        raise error(number, f"{table.schema}.{table.name}", index.name, key_text(columns, found[0]))


def drop_index(session: EngineSession, names: tuple[str, ...], *, if_exists: bool) -> None:
    """DROP INDEX; raises 3701, 3723."""
    *owner, name = names
    database, table = found_table(session, tuple(owner), 4902)
    index = next((i for i in table.indexes if i.name.lower() == name.lower()), None)
    if index is None:
        if if_exists:
            return
        raise error(3701, "drop", "index", ".".join(names))
    if index.constraint_id:
        raise error(3723, ".".join(names), "PRIMARY KEY" if index.primary else "UNIQUE KEY")
    lock_schema(session, table)
    new = replace(table, indexes=tuple(i for i in table.indexes if i is not index))
    write(session, lambda transaction: changing(session, transaction, database, table, new, Operation.DROP_INDEX))


def forget_schema(session: EngineSession, database: Database, key: str) -> None:
    """A schema goes from the catalog."""
    database.schemas.pop(key, None)
    session.engine.catalog.changed()


def drop_schema(session: EngineSession, name: str, *, if_exists: bool) -> None:
    """DROP SCHEMA; raises 3701 (15151 in SQL Server), 3729."""
    database, key = session.current, name.lower()
    if key not in database.schemas:
        if if_exists:
            return
        raise error(3701, "drop", "schema", name)
    held = next((table for (schema, _), table in database.tables.items() if schema == key), None)
    if held is not None:
        raise error(3729, "drop schema", name, held.name)
    old = database.schemas[key]

    def work(transaction: Transaction) -> None:
        forget_schema(session, database, key)
        transaction.undo.append(Undo(action=lambda _c: database.schemas.__setitem__(key, old)))

    write(session, work)


def rename(session: EngineSession, database: Database, table: Table, new: Table) -> None:
    """sp_rename of a table or column."""
    lock_schema(session, table)
    session.engine.allow(Record(database, table, Operation.RENAME))
    write(session, lambda transaction: changing(session, transaction, database, table, new, Operation.RENAME))
