"""The columns of unique indexes in the catalogue: SYSCAT of Db2 LUW, SYSIBM of Db2 for z/OS.

Columns that an index only includes are no part of its key, and are left out. An index has the time at which it was made; that
of a table (ALTER_TIME) does not move with its indexes, but with its constraints.

With Db2 LUW, an index that was made without UNIQUE may have become unique by a constraint (MADE_UNIQUE). It lets equal keys in
while that is dropped, and is the same index behind that: so for such an index ALTER_TIME has to stay as well. With Db2 for z/OS
only a unique index enforces a constraint, and stays unique without it ("Dropping parent keys and foreign keys").

Sources: IBM Db2 documentation, "SYSCAT.INDEXES", "SYSCAT.INDEXCOLUSE"; of z/OS "SYSINDEXES", "SYSKEYS", "SYSCOLUMNS"
"""

# ruff: noqa: S608 -- names are literals
from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.db2.catalog_sql import name
from tailrace.connectors.db2.connection import Session, literal
from tailrace.schema.tables import TableId

ORDERED: Final = ("A", "D")
_INCLUDED: Final = ("I", "")
_NAMED_AT_ONCE: Final = 20  # tables in a condition; for more, the whole catalogue is read
_EVERYTHING: Final = "1 = 1"
_LUW: Final = (
    f"SELECT {name('i.TABSCHEMA')}, {name('i.TABNAME')}, {name('i.INDSCHEMA')}, {name('i.INDNAME')}, "
    f"{name('i.UNIQUERULE', 1)}, {name('u.COLNAME')}, {name('u.COLORDER', 1)}, {name('c.TYPENAME')}, c.LENGTH, c.SCALE, "
    f"CASE WHEN c.CODEPAGE = 0 THEN 1 ELSE 0 END, {name('c.NULLS', 1)}, i.CREATE_TIME, "
    "CASE WHEN i.MADE_UNIQUE = 'Y' THEN t.ALTER_TIME END "
    "FROM SYSCAT.INDEXES i JOIN SYSCAT.TABLES t ON t.TABSCHEMA = i.TABSCHEMA AND t.TABNAME = i.TABNAME "
    "JOIN SYSCAT.INDEXCOLUSE u ON u.INDSCHEMA = i.INDSCHEMA AND u.INDNAME = i.INDNAME "
    "LEFT JOIN SYSCAT.COLUMNS c ON c.TABSCHEMA = i.TABSCHEMA AND c.TABNAME = i.TABNAME AND c.COLNAME = u.COLNAME "
    "WHERE i.UNIQUERULE <> 'D' AND ({0}) ORDER BY i.TABSCHEMA, i.TABNAME, i.INDSCHEMA, i.INDNAME, u.COLSEQ"
)
_ZOS: Final = (
    f"SELECT {name('i.TBCREATOR')}, {name('i.TBNAME')}, {name('i.CREATOR')}, {name('i.NAME')}, {name('i.UNIQUERULE', 1)}, "
    f"{name('u.COLNAME')}, {name('u.ORDERING', 1)}, {name('c.COLTYPE', 18)}, c.LENGTH, c.SCALE, "
    f"CASE WHEN c.FOREIGNKEY = 'B' THEN 1 ELSE 0 END, {name('c.NULLS', 1)}, i.CREATEDTS "
    "FROM SYSIBM.SYSINDEXES i JOIN SYSIBM.SYSKEYS u ON u.IXCREATOR = i.CREATOR AND u.IXNAME = i.NAME "
    "LEFT JOIN SYSIBM.SYSCOLUMNS c ON c.TBCREATOR = i.TBCREATOR AND c.TBNAME = i.TBNAME AND c.NAME = u.COLNAME "
    "WHERE i.UNIQUERULE <> 'D' AND ({0}) ORDER BY i.TBCREATOR, i.TBNAME, i.CREATOR, i.NAME, u.COLSEQ"
)
_LUW_COLUMN: Final = (
    f"SELECT {name('c.TYPENAME')}, c.LENGTH, c.SCALE, CASE WHEN c.CODEPAGE = 0 THEN 1 ELSE 0 END, {name('c.NULLS', 1)} "
    "FROM SYSCAT.COLUMNS c WHERE c.TABSCHEMA = {0} AND c.TABNAME = {1} AND c.COLNAME = {2}"
)
_ZOS_COLUMN: Final = (
    f"SELECT {name('c.COLTYPE', 18)}, c.LENGTH, c.SCALE, CASE WHEN c.FOREIGNKEY = 'B' THEN 1 ELSE 0 END, {name('c.NULLS', 1)} "
    "FROM SYSIBM.SYSCOLUMNS c WHERE c.TBCREATOR = {0} AND c.TBNAME = {1} AND c.NAME = {2}"
)
_LUW_TIMES: Final = (
    ("SYSCAT.TABLES", "TABSCHEMA", "TABNAME", "ALTER_TIME"),
    ("SYSCAT.INDEXES", "TABSCHEMA", "TABNAME", "CREATE_TIME"),
)
_ZOS_TIMES: Final = (
    ("SYSIBM.SYSTABLES", "CREATOR", "NAME", "ALTEREDTS"),
    ("SYSIBM.SYSINDEXES", "TBCREATOR", "TBNAME", "CREATEDTS"),
)
_TYPES: Final = {"CHARACTER": "CHAR", "TIMESTMP": "TIMESTAMP", "VARG": "VARGRAPHIC", "VARBIN": "VARBINARY"}
_TEXTS: Final = ("CHAR", "VARCHAR")


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One column of a unique index.

    Attributes:
        index: schema and name of the index.
        is_primary: whether it is the primary key's.
        column: name of the column.
        order: `A` or `D`; or another letter, for an order that can't be followed.
        type: as in the catalogue of LUW, but CHAR; None: it is an expression.
        length: bytes; of GRAPHIC characters, of DECIMAL digits.
        scale: of DECIMAL and TIMESTAMP.
        is_bit_data: whether it is character data FOR BIT DATA.
        nullable: whether it may be null.
        made: when the index was made, in the server's local time; None: it is no index.
        altered: when its table was altered last, if only a constraint makes the index unique.

    """

    index: tuple[str, str]
    is_primary: bool
    column: str
    order: str
    type: str | None
    length: int
    scale: int
    is_bit_data: bool
    nullable: bool
    made: dt.datetime | None = None
    altered: dt.datetime | None = None

    @property
    def name(self) -> str:
        """The index's name."""
        return self.index[1]

    @property
    def identity(self) -> str:
        """Tells the index, and what makes it unique, from later ones of its name; "": unknown."""
        return " ".join(each.isoformat() for each in (self.made, self.altered) if each is not None)


def parts_of(session: Session, tables: Sequence[TableId], *, is_zos: bool) -> dict[TableId, list[KeyPart]]:
    """The columns of the unique indexes of tables in the session's database; those of an index in its order."""
    names = ("i.TBCREATOR", "i.TBNAME") if is_zos else ("i.TABSCHEMA", "i.TABNAME")
    sql = (_ZOS if is_zos else _LUW).format(_named(tables, *names))
    found: dict[TableId, list[KeyPart]] = {}
    for schema, table, index_schema, index, rule, column, order, *of in session.rows(sql) if tables else ():
        if order.strip() not in _INCLUDED:
            part = _part((index_schema.rstrip(), index), rule == "P", column, order, of)
            found.setdefault(TableId(session.database, schema.rstrip(), table), []).append(part)
    return found


def altered_at(session: Session, tables: Sequence[TableId], *, is_zos: bool) -> dict[TableId, dt.datetime]:
    """When tables of the session's database were altered last, or an index of theirs was made, in local time."""
    found: dict[TableId, dt.datetime] = {}
    for view, schema, table, moment in (_ZOS_TIMES if is_zos else _LUW_TIMES) if tables else ():
        sql = f"SELECT {name(schema)}, {name(table)}, {moment} FROM {view} WHERE {_named(tables, schema, table)}"
        for of_schema, of_name, at in session.rows(sql):
            of = TableId(session.database, of_schema.rstrip(), of_name)
            found[of] = max(found.get(of, at), at)
    return {table: found[table] for table in tables if table in found}


def column_of(session: Session, table: TableId, column: str, *, is_zos: bool) -> KeyPart | None:
    """A column of a table as if it were an index; None if there is no such column."""
    sql = (_ZOS_COLUMN if is_zos else _LUW_COLUMN).format(*map(literal, (table.schema, table.name, column)))
    found = session.rows(sql)
    return _part(("", ""), False, column, ORDERED[0], found[0]) if found else None


def _part(index: tuple[str, str], is_primary: bool, column: str, order: str, of: Sequence[Any]) -> KeyPart:
    """A column; `of`: type, length, scale, whether it is FOR BIT DATA (or has no code page), NULLS, `made`, `altered`."""
    type_, length, scale, has_no_page, nulls, *made = of
    name_of_type = None if type_ is None else _TYPES.get(type_.rstrip(), type_.rstrip())
    is_bit_data = bool(has_no_page) and name_of_type in _TEXTS
    return KeyPart(
        index, is_primary, column, order.strip(), name_of_type, int(length or 0), int(scale or 0), is_bit_data, nulls != "N",
        *made,
    )  # fmt: skip


def _named(tables: Sequence[TableId], schema: str, table: str) -> str:
    """The condition that an index is of one of the tables, as long as they are few."""
    if len(tables) > _NAMED_AT_ONCE:
        return _EVERYTHING
    return " OR ".join(f"{schema} = {literal(each.schema)} AND {table} = {literal(each.name)}" for each in tables)
