"""CREATE, ALTER, DROP, TRUNCATE: changes of the catalog that a transaction can roll back.

Source: "Data definition language", https://learn.microsoft.com/sql/t-sql/statements/statements
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import access, alter, altered_tables, definitions, tree
from tailrace_standins.sqlserver.engine.alter import changed_table, changing
from tailrace_standins.sqlserver.engine.catalog import Index, Table
from tailrace_standins.sqlserver.engine.databases import drop_database
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.session import Affected, Outcome
from tailrace_standins.storage import log, versions
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.transactions import Undo, drop_storage, forget_storage, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def create_table(session: EngineSession, statement: tree.CreateTable) -> Iterator[Outcome]:
    """CREATE TABLE; raises 2714, 2760."""
    if statement.names[-1].startswith("#"):
        session.finish_reading()
        _create_temporary(session, statement.names[-1], statement)
    else:
        made(session, statement)
    yield Affected(None, "CREATE TABLE")


def made(session: EngineSession, statement: tree.CreateTable, *, is_shipped: bool = False) -> Table:
    """A new table in the catalog and in SQLite."""
    session.finish_reading()
    database, schema, name = session.engine.catalog.find(statement.names, session.database)
    access.check_definition(session, database, "CREATE TABLE")

    def work(transaction: Transaction) -> Table:
        if (schema or "dbo").lower() not in database.schemas:
            raise error(2760, schema)
        if database.table(schema, name) is not None:
            raise error(2714, name)
        shown = database.schemas[(schema or "dbo").lower()][1]
        now = session.engine.now()[:23]
        empty = Table(
            session.engine.catalog.new_id(), shown, name, (), created=now, modified=now, is_shipped=is_shipped
        )
        table = _defined(session, empty, statement)
        session.engine.allow(log.Record(database, table, Operation.CREATE_TABLE))
        for sql in definitions.storage_statements(table):
            session.connection.execute(sql)
        changing(session, transaction, database, None, table, Operation.CREATE_TABLE, drop_on_undo=True)
        return table

    return write(session, work)


def _defined(session: EngineSession, table: Table, statement: tree.CreateTable) -> Table:
    for definition in sorted(statement.columns, key=lambda c: bool(c.computed)):
        table = definitions.with_column(session, table, definition)
    order = {definition.name.lower(): place for place, definition in enumerate(statement.columns, 1)}
    columns = tuple(sorted((replace(c, id=order[c.name.lower()]) for c in table.columns), key=lambda c: c.id))
    table = replace(table, columns=columns)
    constraints = [
        constraint for column in statement.columns for constraint in column.constraints
    ] + statement.constraints
    for constraint in constraints:
        if constraint.kind == "PRIMARY KEY":
            table = _not_null(table, constraint, statement)
    for constraint in constraints:
        table = definitions.with_constraint(session, table, constraint)
    return table


def _not_null(table: Table, key: tree.ConstraintDefinition, statement: tree.CreateTable) -> Table:
    """Columns of a primary key are NOT NULL, unless they were said to be NULL."""
    said = {c.name.lower() for c in statement.columns if c.nullable}
    names = {name.lower() for name, _ in key.columns} - said
    return replace(
        table, columns=tuple(replace(c, nullable=False) if c.name.lower() in names else c for c in table.columns)
    )


def _create_temporary(session: EngineSession, name: str, statement: tree.CreateTable) -> Table:
    if name.lower() in session.temporary:
        raise error(2714, name)
    catalog = session.engine.catalog
    now = session.engine.now()[:23]
    table = _defined(
        session, Table(catalog.new_id(), "dbo", name, (), is_temporary=True, created=now, modified=now), statement
    )
    for sql in definitions.storage_statements(table):
        session.connection.execute(sql)
    session.temporary[name.lower()] = table
    session.temporary_version = table.id
    return table


def declare_table(session: EngineSession, name: str, statement: tree.CreateTable) -> None:
    """DECLARE @t TABLE."""
    session.finish_reading()
    drop_temporary(session, name)
    _create_temporary(session, name, statement)


def drop_temporary(session: EngineSession, name: str) -> None:
    """Drop a #table or table variable, if it exists."""
    table = session.temporary.pop(name.lower(), None)
    if table is not None:
        session.finish_reading()
        session.connection.execute(f"DROP TABLE {table.storage}")
        if session.transaction is not None:
            forget_storage(session.transaction, table.storage)
        session.temporary_version = -table.id


def create_index(session: EngineSession, statement: tree.CreateIndex) -> Iterator[Outcome]:
    """CREATE INDEX; raises 1505 over duplicates."""
    session.finish_reading()
    database, table = changed_table(session, statement.table, 1088)

    def work(transaction: Transaction) -> None:
        nonlocal table
        table = database.by_id.get(table.id, table)
        if statement.filter and statement.unique:
            raise unsupported("a unique index with WHERE")
        columns = definitions.key_columns(table, statement.columns)
        included = tuple(
            column for column, _ in definitions.key_columns(table, [(name, False) for name in statement.included])
        )
        index = Index(
            statement.name, 0, columns, statement.unique, clustered=statement.clustered, included=included,
            tree=session.engine.catalog.new_id(), is_hypothetical=statement.is_hypothetical,
        )  # fmt: skip
        new = definitions.with_index(table, index)
        if index.is_enforced:
            altered_tables.check_unique(session, new, index, 1505)
        session.connection.execute(definitions.index_statement(new, index))
        if table.is_temporary:
            session.temporary[table.name.lower()] = new
            session.temporary_version = session.engine.catalog.new_id()
            return
        changing(session, transaction, database, table, new, Operation.CREATE_INDEX)

    write(session, work)
    yield Affected(None, "CREATE INDEX")


def drop(session: EngineSession, statement: tree.Drop) -> Iterator[Outcome]:
    """DROP; raises 3701."""
    session.finish_reading()
    for names in statement.names:
        if statement.kind == "TABLE":
            _drop_table(session, names, if_exists=statement.if_exists)
        elif statement.kind == "INDEX":
            alter.drop_index(session, names, if_exists=statement.if_exists)
        elif statement.kind == "SCHEMA":
            alter.drop_schema(session, names[-1], if_exists=statement.if_exists)
        elif statement.kind == "DATABASE":
            drop_database(session, names[-1], if_exists=statement.if_exists)
        elif not statement.if_exists:
            raise error(3701, "drop", statement.kind.lower(), names[-1])
    yield Affected(None, f"DROP {statement.kind}")


def _drop_table(session: EngineSession, names: tuple[str, ...], *, if_exists: bool) -> None:
    if names[-1].startswith("#"):
        if names[-1].lower() not in session.temporary and not if_exists:
            raise error(3701, "drop", "table", names[-1])
        drop_temporary(session, names[-1])
        return
    database, schema, name = session.engine.catalog.find(names, session.database)
    table = database.table(schema, name)
    if table is None and if_exists:
        return
    if table is None or not access.may_define(session, database, table):
        raise error(3701, "drop", "table", ".".join(names))
    drop_table(session, database.name, table)


def drop_table(session: EngineSession, database_name: str, table: Table) -> None:
    """Drop a table, whose rows are removed at the commit; raises 3726."""
    database = session.engine.catalog.database(database_name)
    access.check_write(session, database, table)
    alter.lock_schema(session, table)

    def work(transaction: Transaction) -> None:
        for other in database.by_id.values():
            if other.id != table.id and any(key.table_id == table.id for key in other.foreign_keys):
                raise error(3726, f"{table.schema}.{table.name}")
        session.engine.allow(log.Record(database, table, Operation.DROP_TABLE))
        changing(session, transaction, database, table, None, Operation.DROP_TABLE)
        drop_storage(session, transaction, table.storage)

    write(session, work)


def truncate(session: EngineSession, statement: tree.Truncate) -> Iterator[Outcome]:
    """TRUNCATE TABLE; raises 4701, 4712, and the error of a hook for a captured table."""
    session.finish_reading()
    database, table = changed_table(session, statement.names, 4701)
    if not table.is_temporary:
        alter.lock_schema(session, table)

    def work(transaction: Transaction) -> None:
        if any(
            key.table_id == table.id
            for other in database.by_id.values()
            for key in other.foreign_keys
            if other.id != table.id
        ):
            raise error(4712, table.name)
        record = log.Record(database, table, Operation.TRUNCATE, statement=transaction.statements)
        session.engine.allow(record)
        versions.end_all(session, transaction, table)
        old = session.engine.identities.pop(table.id, None)
        if old is not None:
            transaction.undo.append(Undo(action=lambda _c: session.engine.identities.__setitem__(table.id, old)))
        if not table.is_temporary:
            transaction.records.append(record)

    write(session, work)
    yield Affected(None, "TRUNCATE TABLE")
