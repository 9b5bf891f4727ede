"""ALTER TABLE, sp_rename, and the common part of changes of definitions.

Source: "ALTER TABLE", https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
"""

# the texts are built of names of our own
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import access, built_indexes, tree
from tailrace_standins.sqlserver.engine.altered_tables import added, altered, dropped
from tailrace_standins.sqlserver.engine.catalog import Database, Table
from tailrace_standins.sqlserver.engine.compiling.queries import QueryCompiler
from tailrace_standins.sqlserver.engine.errors import error, unsupported
from tailrace_standins.sqlserver.engine.locks import SCHEMA
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.engine.system import SystemView
from tailrace_standins.sqlserver.session import Affected, Outcome, SqlError
from tailrace_standins.storage import log
from tailrace_standins.storage.log import Operation
from tailrace_standins.storage.sessions import Connection
from tailrace_standins.storage.transactions import Undo, write
from tailrace_standins.storage.waiting import lock

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_UNNOTICED: Final = (Operation.DROP_INDEX, Operation.RENAME)  # which are not documented to move modify_date
_CLUSTERING: Final = (Operation.CREATE_INDEX, Operation.DROP_INDEX, Operation.ALTER_TABLE)


def found_table(session: EngineSession, names: tuple[str, ...], number: int) -> tuple[Database, Table]:
    """The table of that name; raises `number` if there is none."""
    try:
        database, table = QueryCompiler(session).table(names)
    except SqlError as problem:
        if problem.number != 208:
            raise
        raise error(number if number != 1088 else 4902, ".".join(names)) from None
    if isinstance(table, SystemView):
        raise error(4902, ".".join(names))
    return database, table


def changed_table(session: EngineSession, names: tuple[str, ...], number: int) -> tuple[Database, Table]:
    """The table of that name, for a change of its definition; raises as `access.check_write`."""
    database, table = found_table(session, names, number)
    if not access.may_define(session, database, table):
        raise error(number if number != 1088 else 4902, ".".join(names))
    access.check_write(session, database, table)
    return database, table


def lock_schema(session: EngineSession, table: Table) -> None:
    """Lock a table with Sch-M until the transaction ends; outside a transaction only wait until nobody has a lock on it."""
    lock(session, ("table", table.id), SCHEMA, keep=session.transaction is not None)


def changing(
    session: EngineSession, transaction: Transaction, database: Database, old: Table | None, new: Table | None,
    operation: Operation, *,
    drop_on_undo: bool = False, text: str = "",
) -> None:  # fmt: skip
    """Put a new definition into the catalog, with the undo step; modify_date moves as sys.objects documents it."""
    catalog = session.engine.catalog
    shown = new or old
    assert shown is not None  # noqa: S101  # one of both is there
    if new is not None:
        if old is not None and operation in _CLUSTERING:
            new = built_indexes.reclustered(catalog, old, new)
        if operation not in _UNNOTICED:
            new = replace(new, modified=session.engine.now()[:23])
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
        log.Record(database, new or shown, operation, statement=transaction.statements, text=text, old=old)
    )


def alter_table(session: EngineSession, statement: tree.AlterTable) -> Iterator[Outcome]:
    """ALTER TABLE; raises 4902, 4901, 4924, 5074 and its like."""
    session.finish_reading()
    database, table = changed_table(session, statement.names, 4902)
    if table.is_temporary:
        raise unsupported("ALTER TABLE of #tables")
    lock_schema(session, table)

    def work(transaction: Transaction) -> None:
        current = database.by_id[table.id]
        if statement.action == "ADD":
            new = added(session, database, current, statement)
        elif statement.action == "ALTER COLUMN":
            new = altered(session, current, statement.columns[0])
        elif statement.action == "REBUILD":
            new = built_indexes.rebuilt_table(session.engine.catalog, current)
        else:
            new = current
            for kind, name in statement.dropped:
                new = dropped(new, kind, name, if_exists=statement.if_exists)
        session.engine.allow(log.Record(database, new, Operation.ALTER_TABLE, old=current))
        changing(session, transaction, database, current, new, Operation.ALTER_TABLE, text=statement.text_in_log)

    write(session, work)
    yield Affected(None, "ALTER TABLE")


def drop_index(session: EngineSession, names: tuple[str, ...], *, if_exists: bool) -> None:
    """DROP INDEX; raises 3701, 3723."""
    *owner, name = names
    database, table = changed_table(session, tuple(owner), 4902)
    index = next((i for i in table.indexes if i.name.lower() == name.lower()), None)
    if index is None:
        if if_exists:
            return
        raise error(3701, "drop", "index", ".".join(names))
    if index.constraint_id:
        raise error(3723, ".".join(names), "PRIMARY KEY" if index.primary else "UNIQUE KEY")
    lock_schema(session, table)
    new = replace(table, indexes=tuple(i for i in table.indexes if i is not index))
    session.engine.allow(log.Record(database, new, Operation.DROP_INDEX, old=table))
    write(session, lambda transaction: changing(session, transaction, database, table, new, Operation.DROP_INDEX))


def forget_schema(session: EngineSession, database: Database, key: str) -> None:
    """Remove a schema from the catalog."""
    database.schemas.pop(key, None)
    session.engine.catalog.changed()


def drop_schema(session: EngineSession, name: str, *, if_exists: bool) -> None:
    """DROP SCHEMA; raises 3701 (15151 in SQL Server), 3729."""
    database, key = session.current, name.lower()
    access.check_write(session, database)
    if key not in database.schemas or not access.may_define(session, database):
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
    """sp_rename of a table or column; raises 15225."""
    if not access.may_define(session, database, table):
        raise error(15225, table.name, database.name, "(null)")
    access.check_write(session, database, table)
    lock_schema(session, table)
    session.engine.allow(log.Record(database, new, Operation.RENAME, old=table))
    write(session, lambda transaction: changing(session, transaction, database, table, new, Operation.RENAME))
