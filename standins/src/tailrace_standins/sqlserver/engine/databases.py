"""Databases and schemas: CREATE, ALTER, DROP.

Source: "CREATE DATABASE", https://learn.microsoft.com/sql/t-sql/statements/create-database-transact-sql
"""

# the texts are built of names of our own
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailrace_standins.sqlserver.engine import access, alter, tree
from tailrace_standins.sqlserver.engine.errors import error
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.sqlserver.session import Affected, Outcome
from tailrace_standins.storage.transactions import Undo, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def create_schema(session: EngineSession, statement: tree.CreateSchema) -> Iterator[Outcome]:
    """CREATE SCHEMA; raises 2714."""
    add_schema(session, statement.name)
    yield Affected(None, "CREATE SCHEMA")


def add_schema(session: EngineSession, name: str) -> None:
    """A new schema in the current database."""
    database, key = session.current, name.lower()
    access.check_definition(session, database, "CREATE SCHEMA")
    session.finish_reading()

    def work(transaction: Transaction) -> None:
        if key in database.schemas:
            raise error(2714, name)
        database.schemas[key] = (max(n for n, _ in database.schemas.values() if n < 16384) + 1, name)
        session.engine.catalog.changed()
        transaction.undo.append(Undo(action=lambda _c: alter.forget_schema(session, database, key)))

    write(session, work)


def create_database(session: EngineSession, statement: tree.CreateDatabase) -> Iterator[Outcome]:
    """CREATE DATABASE; raises 1801."""
    access.check_no_secondary(session, "CREATE DATABASE")
    if not access.is_sysadmin(session):
        raise error(262, "CREATE DATABASE", "master")
    session.finish_reading()
    database = session.engine.create_database(statement.name)
    if statement.collation:
        database.collation = statement.collation
    yield Affected(None, "CREATE DATABASE")


def alter_database(session: EngineSession, statement: tree.AlterDatabase) -> Iterator[Outcome]:
    """ALTER DATABASE: options are stored; those of snapshot isolation and row versions have an effect. Raises 5011."""
    session.finish_reading()
    catalog = session.engine.catalog
    database = session.current if statement.name.upper() == "CURRENT" else catalog.databases.get(statement.name.lower())
    if database is None or not access.is_owner(session, database):
        raise error(5011, statement.name)
    access.check_write(session, database)
    database.options.update(dict(statement.options))
    if statement.new_name:
        del catalog.databases[database.name.lower()]
        database.name = statement.new_name
        catalog.databases[statement.new_name.lower()] = database
    catalog.changed()
    write(session, lambda _t: None)
    yield Affected(None, "ALTER DATABASE")


def drop_database(session: EngineSession, name: str, *, if_exists: bool) -> None:
    """DROP DATABASE; raises 3701, 3702."""
    catalog = session.engine.catalog
    database = catalog.databases.get(name.lower())
    if database is None and if_exists:
        return
    if database is None or not access.is_owner(session, database):
        raise error(3701, "drop", "database", name)
    access.check_write(session, database)
    if any(other.database.lower() == name.lower() for other in session.engine.sessions.values()):
        raise error(3702, name)
    session.finish_reading()
    for hook in session.engine.hooks:
        hook.dropping(session, database)

    def work(_transaction: Transaction) -> None:
        for table in database.by_id.values():
            session.connection.execute(f"DROP TABLE {table.storage}")
        del catalog.databases[name.lower()]
        catalog.changed()

    write(session, work)
