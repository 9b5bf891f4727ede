"""CREATE, ALTER, DROP, RENAME, COMMENT: changes of the catalogue, which a transaction can roll back.

Source: IBM Db2 documentation, "CREATE TABLE", "ALTER TABLE", "CREATE INDEX", "RENAME" (SQL reference)
"""

# ruff: noqa: S608  # the texts are built of names of our own
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.db2.engine import changing, convert, tree
from tailrace_standins.db2.engine.catalog import Column, Index, Table
from tailrace_standins.db2.engine.compiling.scope import Typed
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage import log
from tailrace_standins.storage.locks import EXCLUSIVE
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import Undo, drop_storage, write
from tailrace_standins.storage.visibility import LIVE
from tailrace_standins.storage.waiting import lock

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.log import Transaction
    from tailrace_standins.db2.engine.session import EngineSession


def create_table(session: EngineSession, statement: tree.CreateTable) -> None:
    """CREATE TABLE; raises `SqlError` -601 for a name that exists, -612 for a column that is there twice."""
    schema, name = session.named(statement.names)
    database, now = session.database, session.now()
    owner = session.login.user.upper()
    empty = Table(database.new_id(), schema, name, (), captured=statement.captured, created=now, altered=now, owner=owner)
    definitions = statement.columns
    if statement.like:
        source = database.find(*session.named(statement.like))
        definitions = tuple(tree.ColumnDefinition(c.name, c.type, c.nullable, c.default) for c in source.columns)
    elif statement.query is not None:
        definitions = tuple(
            _of_result(place, typed) for place, typed in enumerate(session.compiler().plan(statement.query).columns, 1)
        )
    table = with_columns(session, empty, definitions)
    for key in (*(tree.Key(each.key, ((each.name, False),)) for each in definitions if each.key), *statement.keys):
        table = with_key(table, key, now)

    def work(transaction: Transaction) -> None:
        if (schema, name) in database.tables:
            raise SqlError(-601, "42710", f"{schema}.{name}", "TABLE")
        for sql in changing.storage_statements(table):
            session.connection.execute(sql)
        _record(session, transaction, None, table, Operation.CREATE_TABLE, drops=True)

    write(session, work)


def _of_result(place: int, typed: Typed) -> tree.ColumnDefinition:
    if not typed.name or typed.type is None:
        raise SqlError(-153, "42908", str(place))
    return tree.ColumnDefinition(typed.name, typed.type, typed.nullable)


def with_columns(session: EngineSession, table: Table, definitions: Sequence[tree.ColumnDefinition]) -> Table:
    """The table with more columns; raises `SqlError` -612."""
    for each in definitions:
        if any(column.name == each.name for column in table.columns):
            raise SqlError(-612, "42711", each.name)
        number = table.last_column + 1
        column = Column(number, each.name, each.type, each.nullable, each.default, each.identity, each.generated)
        if each.default:
            changing.default_value(session, table, column)  # a default that does not fit fails now
        table = replace(table, columns=(*table.columns, column), last_column=number)
    return table


def with_key(table: Table, key: tree.Key, now: str, schema: str | None = None) -> Table:
    """The table with another index at the end, which is made now: a constraint's, or with a `schema` one of CREATE INDEX.

    A constraint takes an index of its columns that is there already, which keeps its name, and may become unique by that.

    Raises `SqlError` -542 for a nullable column of a constraint, -624 for a second primary key.
    """
    columns = tuple((table.column(name).id, down) for name, down in key.columns)
    kind = {"PRIMARY KEY": "P", "UNIQUE": "U"}.get(key.kind, "D")
    if schema is None and any(table.by_id(column).nullable for column, _ in columns):
        raise SqlError(-542, "42831", next(n for n, _ in key.columns if table.column(n).nullable))
    if kind == "P" and any(index.kind == "P" for index in table.indexes):
        raise SqlError(-624, "42889", f"{table.schema}.{table.name}", "PRIMARY KEY")
    number = max((index.id for index in table.indexes), default=0) + 1
    name = key.name or f"SQL{table.id:06}{number:09}"
    there = None if schema is not None else _matching(table, columns)
    if there is not None:
        taken = replace(there, kind=kind, constraint=name, reverts=there.kind)
        return replace(table, indexes=(*(index for index in table.indexes if index is not there), taken))
    constraint = name if schema is None else ""
    index = Index(schema or table.schema, name, kind, columns, constraint, number, now)
    return replace(table, indexes=(*table.indexes, index))


def _matching(table: Table, columns: Sequence[tuple[int, bool]]) -> Index | None:
    """An index of the same columns, in whatever order, that enforces no constraint."""
    wanted = {column for column, _ in columns}
    free = (index for index in table.indexes if not index.is_constraint)
    return next((index for index in free if {column for column, _ in index.columns} == wanted), None)


def _without_constraint(table: Table, name: str) -> Table:
    """The table without a constraint, empty: without its primary key; an index that was there before it stays, as it was then.

    Raises `SqlError` -204.
    """
    kept: list[Index] = []
    for index in table.indexes:
        if not (index.constraint == name if name else index.kind == "P"):
            kept.append(index)
        elif index.reverts:
            kept.append(replace(index, kind=index.reverts, constraint="", reverts=""))
    if tuple(kept) == table.indexes:
        raise SqlError(-204, "42704", name or "PRIMARY KEY")
    return replace(table, indexes=tuple(kept))


def _record(
    session: EngineSession,
    transaction: Transaction,
    old: Table | None,
    new: Table | None,
    operation: Operation,
    *,
    drops: bool = False,
) -> None:
    """Put a definition into the catalogue, with its undo step and its record in the log."""
    database = session.database
    database.put(old, new)

    def undo(_: object) -> None:
        database.put(new, old)
        if drops and new is not None:
            session.connection.execute(f"DROP TABLE IF EXISTS {new.storage}")

    transaction.undo.append(Undo(action=undo))
    shown = new or old
    assert shown is not None  # noqa: S101  # one of them is there
    transaction.records.append(log.Record(database, shown, operation, statement=transaction.statements, old=old))


def _changed(session: EngineSession, old: Table, new: Table, operation: Operation, *statements: str) -> None:
    lock(session, ("table", old.id), EXCLUSIVE, keep=True)
    if operation not in (Operation.CREATE_INDEX, Operation.DROP_INDEX):  # these alter no table
        new = replace(new, altered=session.now())

    def work(transaction: Transaction) -> None:
        if session.database.tables.get((old.schema, old.name)) is not old:
            raise SqlError(-204, "42704", f"{old.schema}.{old.name}")
        for sql in statements:
            session.connection.execute(sql)
        _record(session, transaction, old, new, operation)

    write(session, work)


def alter_table(session: EngineSession, statement: tree.AlterTable) -> None:
    """ALTER TABLE, clause after clause."""
    names = session.named(statement.names)
    session.found(names, "ALTER")
    for each in statement.alterations:
        _alter(session, session.database.find(*names), each)


def _alter(session: EngineSession, table: Table, change: tree.Alteration) -> None:
    action = change.action
    if action == "ADD" and change.definition is not None:
        _add_column(session, table, change.definition)
    elif action == "TYPE" and change.definition is not None:
        _retype(session, table, table.column(change.column), change.definition.type)
    elif action == "ADD KEY" and change.key is not None:
        _add_index(session, table, with_key(table, change.key, session.now()), Operation.ALTER_TABLE)
    elif action == "CAPTURE":
        _changed(session, table, replace(table, captured=change.text == "CHANGES"), Operation.ALTER_TABLE)
    elif action == "DROP":
        column = table.column(change.column)
        if any(column.id in {each for each, _ in index.columns} for index in table.indexes):
            raise SqlError(-478, "42893", "COLUMN", f"{table.schema}.{table.name}.{column.name}", "INDEX", "")
        _changed(
            session,
            table,
            replace(table, columns=tuple(c for c in table.columns if c is not column)),
            Operation.ALTER_TABLE,
        )
    elif action in {"DROP PRIMARY KEY", "DROP KEY"}:
        _changed(session, table, _without_constraint(table, change.column), Operation.ALTER_TABLE)
    elif action in {"VOLATILE", "NOT VOLATILE"}:
        _changed(session, table, replace(table, is_volatile=action == "VOLATILE"), Operation.ALTER_TABLE)
    else:
        column = table.column(change.column)
        made = {
            "RENAME": lambda: replace(column, name=change.text),
            "NOT NULL": lambda: replace(column, nullable=False),
            "NULL": lambda: replace(column, nullable=True),
            "DEFAULT": lambda: replace(column, default=change.text),
            "DROP DEFAULT": lambda: replace(column, default=None),
        }[action]()
        if action == "RENAME" and any(each.name == change.text for each in table.columns):
            raise SqlError(-612, "42711", change.text)
        if action == "NOT NULL" and _has_nulls(session, table, column):
            raise changing.null_refused(table, table.columns.index(column))
        _changed(session, table, table.with_column(made), Operation.ALTER_TABLE)


def _has_nulls(session: EngineSession, table: Table, column: Column) -> bool:
    return bool(
        session.connection.rows(f"SELECT 1 FROM {table.storage} WHERE e={LIVE} AND {column.slot} IS NULL LIMIT 1")
    )


def _add_column(session: EngineSession, table: Table, definition: tree.ColumnDefinition) -> None:
    if (
        not definition.nullable
        and definition.default is None
        and definition.identity is None
        and not definition.generated
    ):
        raise SqlError(-193, "42601", definition.name)
    new = with_columns(session, table, [definition])
    column = new.columns[-1]
    value = changing.default_value(session, new, column) if definition.default is not None else None
    if definition.key:
        new = with_key(new, tree.Key(definition.key, ((definition.name, False),)), session.now())
    _changed(session, table, new, Operation.ALTER_TABLE, f"ALTER TABLE {table.storage} ADD COLUMN {column.slot}")
    if value is not None:
        write(session, lambda _: session.connection.execute(f"UPDATE {table.storage} SET {column.slot}=?", [value]))


def _retype(session: EngineSession, table: Table, column: Column, of: SqlType) -> None:
    """SET DATA TYPE: the values move into a new column of SQLite, so that a rollback has the old ones."""
    indexes = tuple(
        replace(i, columns=tuple((table.last_column + 1 if c == column.id else c, d) for c, d in i.columns))
        for i in table.indexes
    )
    new_column = replace(column, id=table.last_column + 1, type=of)
    columns = tuple(new_column if each is column else each for each in table.columns)
    new = replace(table, columns=columns, indexes=indexes, last_column=new_column.id)
    _changed(session, table, new, Operation.ALTER_TABLE, f"ALTER TABLE {table.storage} ADD COLUMN {new_column.slot}")

    def work(_: Transaction) -> None:
        found = session.connection.rows(f"SELECT rid, {column.slot} FROM {table.storage}")
        rows = [(convert.converted(value, column.type, of, assigned=True), rid) for rid, value in found]
        session.connection.many(f"UPDATE {table.storage} SET {new_column.slot}=? WHERE rid=?", rows)

    write(session, work)


def _add_index(session: EngineSession, old: Table, new: Table, operation: Operation) -> None:
    index = new.indexes[-1]
    _changed(session, old, new, operation, changing.index_statement(new, index))
    if index.kind != "D":
        last = session.store.rows.get(new.id, 0)
        write(session, lambda transaction: changing.check_unique(session, transaction, new, index, (0, last)))


def create_index(session: EngineSession, statement: tree.CreateIndex) -> None:
    """CREATE INDEX; raises `SqlError` -601."""
    table = session.found(statement.table, "INDEX")
    schema, name = session.named(statement.names)
    if any(
        index.schema == schema and index.name == name
        for each in session.database.tables.values()
        for index in each.indexes
    ):
        raise SqlError(-601, "42710", f"{schema}.{name}", "INDEX")
    _add_index(session, table, with_key(table, statement.key, session.now(), schema), Operation.CREATE_INDEX)


def drop(session: EngineSession, statement: tree.Drop) -> None:
    """DROP TABLE, INDEX or SCHEMA; raises `SqlError` -204."""
    database = session.database
    if statement.kind == "SCHEMA":
        if any(schema == statement.names[-1] for schema, _ in database.tables):
            raise SqlError(-478, "42893", "SCHEMA", statement.names[-1], "TABLE", "")
        database.schemas.discard(statement.names[-1])
        return
    schema, name = session.named(statement.names)
    if statement.kind == "INDEX":
        for table in database.tables.values():
            kept = tuple(i for i in table.indexes if (i.schema, i.name) != (schema, name))
            if len(kept) < len(table.indexes):
                _changed(session, table, replace(table, indexes=kept), Operation.DROP_INDEX)
                return
        raise SqlError(-204, "42704", f"{schema}.{name}")
    if statement.if_exists and (schema, name) not in database.tables:
        return
    table = session.found(statement.names, "CONTROL")
    lock(session, ("table", table.id), EXCLUSIVE, keep=True)

    def work(transaction: Transaction) -> None:
        _record(session, transaction, table, None, Operation.DROP_TABLE)
        drop_storage(session, transaction, table.storage)

    write(session, work)


def rename(session: EngineSession, statement: tree.Rename) -> None:
    """RENAME TABLE; raises `SqlError` -601."""
    table = session.found(statement.names, "CONTROL")
    if (table.schema, statement.new) in session.database.tables:
        raise SqlError(-601, "42710", f"{table.schema}.{statement.new}", "TABLE")
    _changed(session, table, replace(table, name=statement.new), Operation.RENAME)


def comment(session: EngineSession, statement: tree.Comment) -> None:
    """COMMENT ON."""
    table = session.found(statement.names, "ALTER")
    if statement.column:
        new = table.with_column(replace(table.column(statement.column), remarks=statement.text))
    else:
        new = replace(table, remarks=statement.text)
    _changed(session, table, new, Operation.ALTER_TABLE)
