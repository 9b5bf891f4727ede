"""sp_cdc_disable_db, sp_cdc_disable_table, and how a capture instance is removed.

Sources: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-disable-db-transact-sql,
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-cdc-disable-table-transact-sql
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.cdc import log_file, rows
from tailrace_standins.sqlserver.cdc.messages import failure
from tailrace_standins.sqlserver.cdc.system_rows import ChangeTable
from tailrace_standins.sqlserver.engine.alter import forget_schema
from tailrace_standins.sqlserver.engine.catalog import Database
from tailrace_standins.sqlserver.engine.log import Transaction
from tailrace_standins.storage.transactions import Undo, at_commit, write

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession

_OF_INSTANCE: Final = (
    ("change_tables", "object_id"),
    ("captured_columns", "object_id"),
    ("index_columns", "object_id"),
    ("ddl_history", "object_id"),
)


def drop_instance(session: EngineSession, transaction: Transaction, database: Database, table_id: int) -> None:
    """Remove a capture instance: its change table, and its rows in the other tables of cdc."""
    for name, column in _OF_INSTANCE:
        of = rows.table(database, name)
        found = rows.read(session, of, f"{column}=?1", [table_id])
        rows.remove(session, transaction, database, of, found)
    change_table = database.by_id.get(table_id)
    if change_table is not None:
        rows.drop(session, transaction, database, change_table)


def disable_table(session: EngineSession, database: Database, schema: str, name: str, instance: str) -> None:
    """Disable one instance of a source table, or 'all'; raises 22901, 22931, 22985, 22960."""
    rows.table(database, "change_tables")
    source = database.table(schema, name)
    if source is None:
        raise failure(22931, schema, name)
    found = rows.listed(session, database, ChangeTable, "source_object_id=?1", [source.id])
    if not found:
        raise failure(22985, schema, name)
    chosen = [row for row in found if instance.lower() == "all" or row.is_named(instance)]
    if not chosen:
        raise failure(22960, instance, schema, name)

    def work(transaction: Transaction) -> None:
        for row in chosen:
            drop_instance(session, transaction, database, row.object_id)

    write(session, work)


def disable_db(session: EngineSession, database: Database) -> None:
    """Remove all change data capture of a database; does nothing if it is not enabled."""
    if not database.is_cdc_enabled:
        return
    schema = database.schemas["cdc"]

    def work(transaction: Transaction) -> None:
        for row in rows.listed(session, database, ChangeTable):
            drop_instance(session, transaction, database, row.object_id)
        if session.engine.is_kept:
            at_commit(transaction, log_file.disabled(database))
        for table in [table for table in database.by_id.values() if table.schema == "cdc"]:
            rows.drop(session, transaction, database, table)
        database.is_cdc_enabled = False
        forget_schema(session, database, "cdc")
        transaction.undo.append(Undo(action=lambda _c: _enabled_again(session, database, schema)))

    write(session, work)


def _enabled_again(session: EngineSession, database: Database, schema: tuple[int, str]) -> None:
    database.schemas["cdc"] = schema
    database.is_cdc_enabled = True
    session.engine.catalog.changed()
