"""The schemas, tables and captured columns of the configured database, which the configuration's lists can match.

Sources: IBM Db2 documentation, "SYSCAT.TABLES", "SYSCAT.COLUMNS"; of z/OS "SYSTABLES", "SYSCOLUMNS"
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.connection import Session, connect, quoted
from tailrace.connectors.db2.settings import Db2Settings
from tailrace.connectors.shared import unmatched_lists
from tailrace.connectors.shared.unmatched_lists import Existing
from tailrace.schema.tables import TableId

_TABLES: Final = f"SELECT {name('TABSCHEMA')}, {name('TABNAME')} FROM SYSCAT.TABLES WHERE TYPE = 'T'"  # noqa: S608 -- constants
_TABLES_OF_ZOS: Final = f"SELECT {name('CREATOR')}, {name('NAME')} FROM SYSIBM.SYSTABLES WHERE TYPE = 'T'"  # noqa: S608
_REGISTERED: Final = (
    "SELECT {3}, {4}, {0} FROM {1}.IBMSNAP_REGISTER r "
    "JOIN {2} WHERE r.SOURCE_OWNER <> '' ORDER BY r.SOURCE_OWNER, r.SOURCE_TABLE, k.COLNO"
)
_COLUMNS: Final = name("k.COLNAME"), "SYSCAT.COLUMNS k ON k.TABSCHEMA = r.CD_OWNER AND k.TABNAME = r.CD_TABLE"
_COLUMNS_OF_ZOS: Final = name("k.NAME"), "SYSIBM.SYSCOLUMNS k ON k.TBCREATOR = r.CD_OWNER AND k.TBNAME = r.CD_TABLE"
_OWN_COLUMNS: Final = "IBMSNAP_"
"""How the columns of a change table begin that are not the source's."""


def existing(settings: Db2Settings) -> Existing:
    """What the user may see in the database.

    Raises:
        TailraceError: it can't be read, or has no control tables.

    """
    with connect(settings) as session:
        tables = tables_of(session, settings)
        columns = captured_columns(session, settings)
    lists = settings.tables.without_signal_tables()
    captured = [table for table in tables if table in columns and lists.matches(table)]
    named = {table: columns[table] for table in captured} if unmatched_lists.wants_columns(settings) else {}
    schemas = sorted({table.schema for table in tables})
    return Existing((session.database,), tables, captured, named, schemas)


def tables_of(session: Session, settings: Db2Settings) -> list[TableId]:
    """The database's tables, without those of the system, sorted."""
    rows = session.rows(_TABLES_OF_ZOS if settings.is_zos else _TABLES)
    found = (TableId(session.database, schema.rstrip(" "), table) for schema, table in rows)
    return sorted(table for table in found if not settings.tables.system.has(table))


def captured_columns(session: Session, settings: Db2Settings) -> dict[TableId, tuple[str, ...]]:
    """The columns of the source in the change table of each registered table, in their order."""
    column, join = _COLUMNS_OF_ZOS if settings.is_zos else _COLUMNS
    found: defaultdict[TableId, list[str]] = defaultdict(list)
    names = [name(each, is_zos=settings.is_zos) for each in ("r.SOURCE_OWNER", "r.SOURCE_TABLE")]
    for owner, table, each in session.rows(_REGISTERED.format(column, quoted(settings.control_schema), join, *names)):
        if not each.startswith(_OWN_COLUMNS):
            found[TableId(session.database, owner.rstrip(" "), table)].append(each)
    return {table: tuple(columns) for table, columns in found.items()}
