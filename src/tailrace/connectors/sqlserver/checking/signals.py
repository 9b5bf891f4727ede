"""Checks the signal tables, and what a signal's conditions could do with the login's permissions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.signal_tables import incomplete_signal_table, signal_columns
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.shared.signal_sql import ALLOWED
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.connectors.sqlserver import setup_sql
from tailrace.connectors.sqlserver.checking.access import Login
from tailrace.connectors.sqlserver.connection import Session, quoted
from tailrace.connectors.sqlserver.dialect import ADVICE
from tailrace.connectors.sqlserver.settings import SqlServerSettings
from tailrace.schema.tables import Table, TableId
from tailrace.signals.table import COLUMNS

_MOST_SHOWN: Final = 1000
_WRITABLE: Final = f"""
    SELECT TOP ({_MOST_SHOWN}) s.name, t.name FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id
    WHERE HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), 'OBJECT', 'INSERT') = 1
       OR HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), 'OBJECT', 'UPDATE') = 1
       OR HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), 'OBJECT', 'DELETE') = 1
    ORDER BY s.name, t.name"""  # noqa: S608 -- a number
_TEXTS: Final = frozenset({"char", "varchar", "nchar", "nvarchar", "text", "ntext"})


def findings(
    session: Session, settings: SqlServerSettings, tables: Mapping[TableId, Table], instances: Sequence[Instance]
) -> Iterator[Finding]:
    """A finding for each table of `signal.data.collection` in the session's database."""
    known = {_key(table): structure for table, structure in tables.items()}
    captured = {_key(each.table): each for each in instances}  # the newest instance of each
    for table in signal_tables_of(settings):
        if table.catalog.lower() == session.database.lower():
            instance = captured.get(_key(table))
            columns_read = [] if instance is None else signal_columns(settings, instance.table, instance.columns)
            yield _finding(table, known.get(_key(table)), instance, columns_read)


def rights(session: Session, settings: SqlServerSettings, who: Login) -> Iterator[Finding]:
    """A warning if conditions of signals run with a login that may write, as SQL Server has no read-only transactions.

    Signal tables don't count: whoever sends signals writes to them anyway.
    """
    is_heard = bool({"kafka", "file"} & set(settings.signal_enabled_channels)) or bool(signal_tables_of(settings))
    if not is_heard or not settings.tailrace_signal_conditions or settings.reads_replica:
        return
    what = f"{session.database}: the user {who.user} "
    if who.is_owner:
        what += "owns the database"
    else:
        own = {_key(table) for table in signal_tables_of(settings)}
        found = [TableId("", schema, table) for schema, table in session.rows(_WRITABLE)]
        found = [table for table in found if _key(table) not in own]
        if not found:
            return
        what += f"may write to {listed(found)}"
    yield Finding(
        Level.WARNING,
        f"{what}, and whoever may signal chooses rows with SQL that runs as this user, in a transaction that is rolled back",
        f"take a login that may only read; or refuse such SQL with {ALLOWED}=false",
    )


def _finding(
    table: TableId, structure: Table | None, instance: Instance | None, columns_read: Sequence[str]
) -> Finding:
    name = quoted(table.schema, table.name)
    create = (
        f"USE {quoted(table.catalog)}; CREATE TABLE {name} (id varchar(42) PRIMARY KEY, type varchar(32) NOT NULL, "
        f"data varchar(2048) NULL); {setup_sql.enable_table(table).sql}"
    )
    if structure is None:
        return Finding(Level.WARNING, f"the signal table {table} is not there, or the user may not see it", create)
    if len(structure.columns) != len(COLUMNS):
        return Finding(
            Level.WARNING, f"the signal table {table} has {len(structure.columns)} columns instead of three", create
        )
    wrong = [column.name for column in structure.columns if column.type_name.lower() not in _TEXTS]
    if wrong:
        return Finding(
            Level.WARNING, f"the signal table {table} has columns that are no text: {', '.join(wrong)}", create
        )
    if instance is None:
        statement = setup_sql.enable_table(table)
        return Finding(
            Level.WARNING, f"the signal table {table} is not captured, so nobody hears", statements=(statement,)
        )
    if len(columns_read) != len(COLUMNS):
        return Finding(Level.WARNING, incomplete_signal_table(table, columns_read), ADVICE.all_columns)
    return Finding(Level.OK, f"the signal table {table} has its three columns and is captured")


def _key(table: TableId) -> tuple[str, str]:
    return table.schema.lower(), table.name.lower()
