"""Checks the signal tables, and what a signal's conditions could do with the user's rights.

A signal table must be there, with three columns of text, and be captured like other tables.
Only rights of the user itself and of everybody are looked at; those by groups and roles are not seen.

Source: IBM Db2 documentation, "SYSCAT.DBAUTH", "SYSCAT.TABAUTH"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tailrace.connectors.change_tables.instances import Instance
from tailrace.connectors.change_tables.signal_tables import incomplete_signal_table, signal_columns
from tailrace.connectors.db2.catalog import name_in_database
from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.checking.access import Reader
from tailrace.connectors.db2.connection import Session, literal, quoted
from tailrace.connectors.db2.errors_of_driver import DeniedError
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.db2.setup_sql import Services
from tailrace.connectors.findings import Finding, Level, listed
from tailrace.connectors.shared.signal_sql import ALLOWED
from tailrace.connectors.shared.signal_tables import signal_tables_of
from tailrace.schema.tables import Table, TableId
from tailrace.signals.table import COLUMNS

_MOST_SHOWN: Final = 1000
_RULES: Final = (
    "SELECT COUNT(*) FROM SYSCAT.DBAUTH WHERE (DBADMAUTH = 'Y' OR DATAACCESSAUTH = 'Y') AND GRANTEE IN ({}, 'PUBLIC')"
)
_WRITABLE: Final = (
    f"SELECT DISTINCT {name('TABSCHEMA')}, {name('TABNAME')} FROM SYSCAT.TABAUTH WHERE GRANTEE IN ({{}}, 'PUBLIC') "  # noqa: S608
    "AND TABSCHEMA NOT LIKE 'SYS%' AND (CONTROLAUTH = 'Y' OR INSERTAUTH <> 'N' OR UPDATEAUTH <> 'N' OR DELETEAUTH <> 'N') "
    f"ORDER BY 1, 2 FETCH FIRST {_MOST_SHOWN} ROWS ONLY"
)
_TEXTS: Final = frozenset({"CHAR", "VARCHAR", "GRAPHIC", "VARGRAPHIC"})


def findings(
    settings: Db2Settings, services: Services, tables: Mapping[TableId, Table], instances: Sequence[Instance]
) -> Iterator[Finding]:
    """A finding for each table of `signal.data.collection`; `tables`: all that are included, with their structures."""
    known = {_key(table): structure for table, structure in tables.items()}
    captured = {_key(each.table): each for each in instances}
    for table in signal_tables_of(settings):
        instance = captured.get(_key(table))
        columns_read = [] if instance is None else signal_columns(settings, instance.table, instance.columns)
        yield _finding(services, table, known.get(_key(table)), instance, columns_read)


def rights(session: Session, settings: Db2Settings, services: Services, who: Reader) -> Iterator[Finding]:
    """A warning if conditions of signals run as a user that may write, as Db2 has no read-only transactions.

    Signal tables don't count: whoever sends signals writes to them anyway.
    """
    is_heard = bool({"kafka", "file"} & set(settings.signal_enabled_channels)) or bool(signal_tables_of(settings))
    if not is_heard or not settings.tailrace_signal_conditions or services.is_zos:
        return
    try:
        what = _writes(session, settings, who.user)
    except DeniedError:  # a restrictive database
        return
    if what:
        yield Finding(
            Level.WARNING,
            f"{session.database}: the user {who.user} {what}, and whoever may signal chooses rows with SQL that runs as this "
            "user, in a transaction that is rolled back",
            f"take a user that may only read; or refuse such SQL with {ALLOWED}=false",
        )


def _writes(session: Session, settings: Db2Settings, user: str) -> str:
    """What a user may write to; empty if nothing is seen."""
    if session.one(_RULES.format(literal(user))):
        return "may write to every table"
    own = {_key(table) for table in signal_tables_of(settings)}
    found = (TableId("", schema.rstrip(), table) for schema, table in session.rows(_WRITABLE.format(literal(user))))
    named = [name_in_database(table) for table in found if _key(table) not in own]
    return f"may write to {listed(named)}" if named else ""


def _finding(
    services: Services, table: TableId, structure: Table | None, instance: Instance | None, columns_read: Sequence[str]
) -> Finding:
    create = (
        f"CREATE TABLE {quoted(table.schema, table.name)} (ID VARCHAR(42) NOT NULL PRIMARY KEY, TYPE VARCHAR(32) NOT NULL, "
        f"DATA VARCHAR(2048)); then run this check again"
    )
    if structure is None:
        return Finding(
            Level.WARNING,
            f"the signal table {name_in_database(table)} is not there, or the user may not see it",
            create,
        )
    if len(structure.columns) != len(COLUMNS):
        what = f"the signal table {name_in_database(table)} has {len(structure.columns)} columns instead of three"
        return Finding(Level.WARNING, what, create)
    if wrong := [column.name for column in structure.columns if column.type_name not in _TEXTS]:
        what = f"the signal table {name_in_database(table)} has columns that are no text: {', '.join(wrong)}"
        return Finding(Level.WARNING, what, create)
    if instance is None:
        what = f"the signal table {name_in_database(table)} is not captured, so nobody hears"
        return Finding(Level.WARNING, what, services.told("reinit"), services.register(structure.id))
    if len(columns_read) != len(COLUMNS):
        mend = "register it with all of its columns, and leave them in with column.include.list or column.exclude.list"
        return Finding(Level.WARNING, incomplete_signal_table(table, columns_read), mend)
    return Finding(Level.OK, f"the signal table {name_in_database(table)} has its three columns and is captured")


def _key(table: TableId) -> tuple[str, str]:
    return table.schema.lower(), table.name.lower()
