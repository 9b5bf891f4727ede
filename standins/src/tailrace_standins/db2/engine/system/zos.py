"""SYSIBM of Db2 for z/OS: tables, columns, indexes and their keys.

Db2 for LUW has tables of the same names, with other columns; there only the first two are there, as far as Debezium asks them.

Source: IBM Db2 for z/OS documentation, "SYSTABLES", "SYSCOLUMNS", "SYSINDEXES", "SYSKEYS" (catalog tables)
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import NO_STATISTICS, SPACE, Column, Database
from tailrace_standins.db2.engine.system.catalogue import codepage, default_text, key_places, length, tables
from tailrace_standins.db2.engine.system.view import Rows, View, view

_COLTYPES: Final = {"CHARACTER": "CHAR", "VARGRAPHIC": "VARG", "TIMESTAMP": "TIMESTMP", "DOUBLE": "FLOAT", "REAL": "FLOAT",
                    "LONG VARCHAR": "LONGVAR", "LONG VARGRAPHIC": "LONGVARG"}  # fmt: skip


def _tables(database: Database) -> Rows:
    for table in tables(database):
        found = database.statistics.get(table.id, NO_STATISTICS)
        keys = len(key_places(table))
        yield (table.name, table.schema, "T", "DSNDB04", "TS1", SPACE, table.id, len(table.columns), keys, table.remarks,
               "Y" if table.captured else " ", table.created, table.altered, found.rows, float(found.rows), found.pages,
               found.width, table.owner)  # fmt: skip


def _default(column: Column) -> tuple[str, str | None]:
    """DEFAULT, a letter that says which kind, and DEFAULTVALUE."""
    if column.identity is not None:
        return "I" if column.identity.always else "J", None
    if column.default is None:
        return "Y" if column.nullable else "N", None
    if column.default == "":
        return "Y", None
    text = str(default_text(column))
    if text.startswith("'"):
        return "1", text[1:-1].replace("''", "'")
    return ("4" if text.lstrip("-").replace(".", "").isdigit() else "S" if "USER" in text else "Y"), text


def _columns(database: Database) -> Rows:
    for table in tables(database):
        places = key_places(table)
        for number, column in enumerate(table.columns, 1):
            shown = types.shown(column.type)
            kind, default = _default(column)
            yield (column.name, table.name, table.schema, number, _COLTYPES.get(shown, shown), length(column.type),
                   column.type.scale, "Y" if column.nullable else "N", places.get(column.id, 0), kind, default,
                   codepage(column.type), "B" if column.type.bit_data else " ", column.remarks, float(-1))  # fmt: skip


def _indexes(database: Database) -> Rows:
    for table in tables(database):
        for index in table.indexes:
            rule = "U" if index.kind == "U" and not index.is_constraint else {"U": "C"}.get(index.kind, index.kind)
            yield index.name, index.schema, table.name, table.schema, rule, len(index.columns), SPACE, index.id, index.created


def _keys(database: Database) -> Rows:
    for table in tables(database):
        places = {column.id: place for place, column in enumerate(table.columns, 1)}
        for index in table.indexes:
            for place, (column, down) in enumerate(index.columns, 1):
                yield index.name, index.schema, table.by_id(column).name, places[column], place, "D" if down else "A"


VIEWS: Final[dict[tuple[str, str], View]] = {
    ("SYSIBM", "SYSTABLES"): view(
        "v_systables",
        "n:NAME n:CREATOR f:TYPE n:DBNAME n:TSNAME s:DBID s:OBID s:COLCOUNT s:KEYCOLUMNS r:REMARKS f:DATACAPTURE t:CREATEDTS "
        "t:ALTEREDTS i:CARD d:CARDF i:NPAGES i:AVGROWLEN n:OWNER",
        _tables,
    ),
    ("SYSIBM", "SYSCOLUMNS"): view(
        "v_syscolumns",
        "n:NAME n:TBNAME n:TBCREATOR s:COLNO c:COLTYPE i:LENGTH s:SCALE f:NULLS s:KEYSEQ f:DEFAULT x:DEFAULTVALUE i:CCSID "
        "f:FOREIGNKEY r:REMARKS d:COLCARDF",
        _columns,
    ),
}
"""By schema and name."""
VIEWS_OF_INDEXES: Final[dict[tuple[str, str], View]] = {
    ("SYSIBM", "SYSINDEXES"): view(
        "v_sysindexes", "n:NAME n:CREATOR n:TBNAME n:TBCREATOR f:UNIQUERULE s:COLCOUNT s:DBID s:OBID t:CREATEDTS",
        _indexes,
    ),
    ("SYSIBM", "SYSKEYS"): view("v_syskeys", "n:IXNAME n:IXCREATOR n:COLNAME s:COLNO s:COLSEQ f:ORDERING", _keys),
}
"""Those that are on z/OS only."""
