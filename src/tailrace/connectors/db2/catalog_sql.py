"""The statements that ask the catalogue: Db2 LUW has the views of SYSCAT, Db2 for z/OS its tables of SYSIBM.

Names are selected as bytes of UTF-8 (`text_sql.py`); those of the catalogue of z/OS are Unicode already, those in control
tables need not be. `{0}` is the schema of the control tables, quoted, and `{1}` the same as a literal.

Sources: IBM Db2 documentation, "SYSCAT.TABLES", "SYSCAT.COLUMNS", "SYSCAT.INDEXES"; of z/OS "SYSTABLES", "SYSCOLUMNS",
"SYSINDEXES", "SYSKEYS"
"""

# ruff: noqa: S608 -- the texts are ours
from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tailrace.connectors.db2.text_sql import as_utf_8

_LONGEST_DEFAULT: Final = 8000


def name(expression: str, size: int = 128, *, is_zos: bool = False) -> str:
    """A name, or another text; `is_zos`: in a table that need not be Unicode."""
    return as_utf_8(expression, size, is_zos=is_zos)


@dataclass(frozen=True, slots=True)
class CatalogSql:
    """The statements of one platform.

    Attributes:
        code_page: of the control table IBMSNAP_REGISTER; no row if it does not exist.
        made: when the control table IBMSNAP_UOW was made.
        stamp: see `Catalogue.stamp`.
        index_stamp: a row that changes when a unique index of a registered table is made.
        register: the registrations: owner, table, CD owner, CD table, CD_NEW_SYNCHPOINT, STATE, BEFORE_IMG_PREFIX, the times
            when the CD table was made, when the source table was altered and when it was made.
        change_columns: columns of CD tables: owner, table, column.
        other_types: columns of CD tables of another type than in the source: owner, table, then as in `columns`.
        columns: of tables: schema, table, column, type, length, scale, code page, nullable, identity (Y) or generated (G),
            default.
        keys: columns of primary keys and unique indexes: schema, table, rule, index, column.

    """

    code_page: str
    made: str
    stamp: str
    index_stamp: str
    register: str
    change_columns: str
    other_types: str
    columns: str
    keys: str


def _columns_of(alias: str) -> str:
    default = name(f"CAST({alias}.DEFAULT AS VARCHAR({_LONGEST_DEFAULT}))", _LONGEST_DEFAULT)
    return (
        f"{name(f'{alias}.COLNAME')}, {name(f'{alias}.TYPENAME')}, {alias}.LENGTH, {alias}.SCALE, {alias}.CODEPAGE, "
        f"{name(f'{alias}.NULLS', 1)}, {name(_MADE_BY_SERVER.format(alias), 1)}, {default}"
    )


_MICROSECONDS: Final = "BIGINT(SECOND({0})) * 1000000 + MICROSECOND({0})"
_MADE_BY_SERVER: Final = "CASE WHEN {0}.IDENTITY = 'Y' THEN 'Y' WHEN {0}.GENERATED <> ' ' THEN 'G' ELSE 'N' END"


def _stamp(tables: str, made: str, altered: str, *, is_zos: bool = False) -> str:
    """Registrations, their states, and the times of their tables: also the sums of these, as clocks are set back."""
    times = [f"{alias}.{column}" for alias in "ct" for column in (made, altered)]
    newest = [f"MAX({each})" for each in times]
    sums = [f"SUM({_MICROSECONDS.format(each)})" for each in times]
    names = [name(f"{which}({_INACTIVE})", 257, is_zos=is_zos) for which in ("MIN", "MAX")]
    # Which of several are not active: those between the first and the last by name, too.
    which = f"SUM(CASE WHEN {_IS_INACTIVE} THEN {_MICROSECONDS.format(f'c.{made}')} END)"
    inactive = [f"COUNT({_INACTIVE})", *names, which]
    return f"SELECT {', '.join(['COUNT(*)', 'COUNT(r.CD_NEW_SYNCHPOINT)', *inactive, *newest, *sums])} FROM {tables}"


def _index_stamp(indexes: str, made: str) -> str:
    """The number of indexes, and the times at which they were made."""
    total = f"SUM({_MICROSECONDS.format(made)})"
    return (
        f"SELECT COUNT(*), MAX({made}), {total} FROM {{0}}.IBMSNAP_REGISTER r JOIN {indexes} "
        "WHERE r.SOURCE_OWNER <> '' AND i.UNIQUERULE <> 'D'"
    )


_CHANGE_TABLES: Final = (
    "{0}.IBMSNAP_REGISTER r JOIN SYSCAT.TABLES c ON c.TABSCHEMA = r.CD_OWNER AND c.TABNAME = r.CD_TABLE "
    "LEFT JOIN SYSCAT.TABLES t ON t.TABSCHEMA = r.SOURCE_OWNER AND t.TABNAME = r.SOURCE_TABLE WHERE r.SOURCE_OWNER <> ''"
)
_IS_INACTIVE: Final = "r.STATE <> 'A' OR r.CD_NEW_SYNCHPOINT IS NULL"
_INACTIVE: Final = f"CASE WHEN {_IS_INACTIVE} THEN r.SOURCE_OWNER CONCAT '.' CONCAT r.SOURCE_TABLE END"


def _registered(*, is_zos: bool = False) -> str:
    names = (name(f"r.{each}", is_zos=is_zos) for each in ("SOURCE_OWNER", "SOURCE_TABLE", "CD_OWNER", "CD_TABLE"))
    more = f"{name('r.STATE', 1, is_zos=is_zos)}, {name('r.BEFORE_IMG_PREFIX', 4, is_zos=is_zos)}"
    return f"{', '.join(names)}, r.CD_NEW_SYNCHPOINT, {more}"


LUW: Final = CatalogSql(
    code_page="SELECT CODEPAGE FROM SYSCAT.COLUMNS WHERE TABSCHEMA = {1} AND TABNAME = 'IBMSNAP_REGISTER' "
    "AND COLNAME = 'SOURCE_OWNER'",
    made="SELECT CREATE_TIME FROM SYSCAT.TABLES WHERE TABSCHEMA = {1} AND TABNAME = 'IBMSNAP_UOW'",
    stamp=_stamp(_CHANGE_TABLES, "CREATE_TIME", "ALTER_TIME"),
    index_stamp=_index_stamp(
        "SYSCAT.INDEXES i ON i.TABSCHEMA = r.SOURCE_OWNER AND i.TABNAME = r.SOURCE_TABLE", "i.CREATE_TIME"
    ),
    register=f"SELECT {_registered()}, c.CREATE_TIME, t.ALTER_TIME, t.CREATE_TIME FROM {_CHANGE_TABLES}",
    change_columns=f"SELECT {name('k.TABSCHEMA')}, {name('k.TABNAME')}, {name('k.COLNAME')} "
    "FROM {0}.IBMSNAP_REGISTER r JOIN SYSCAT.COLUMNS k ON k.TABSCHEMA = r.CD_OWNER AND k.TABNAME = r.CD_TABLE "
    "WHERE r.SOURCE_OWNER <> '' ORDER BY k.TABSCHEMA, k.TABNAME, k.COLNO",
    other_types=f"SELECT {name('k.TABSCHEMA')}, {name('k.TABNAME')}, {_columns_of('k')} FROM {{0}}.IBMSNAP_REGISTER r "
    "JOIN SYSCAT.COLUMNS k ON k.TABSCHEMA = r.CD_OWNER AND k.TABNAME = r.CD_TABLE "
    "JOIN SYSCAT.COLUMNS s ON s.TABSCHEMA = r.SOURCE_OWNER AND s.TABNAME = r.SOURCE_TABLE AND s.COLNAME = k.COLNAME "
    "WHERE r.SOURCE_OWNER <> '' AND (k.TYPENAME <> s.TYPENAME OR k.LENGTH <> s.LENGTH OR k.SCALE <> s.SCALE "
    "OR k.CODEPAGE <> s.CODEPAGE)",
    columns=f"SELECT {name('c.TABSCHEMA')}, {name('c.TABNAME')}, {_columns_of('c')} FROM SYSCAT.COLUMNS c "
    "JOIN SYSCAT.TABLES t ON t.TABSCHEMA = c.TABSCHEMA AND t.TABNAME = c.TABNAME WHERE t.TYPE = 'T' "
    "ORDER BY c.TABSCHEMA, c.TABNAME, c.COLNO",
    keys=f"SELECT {name('i.TABSCHEMA')}, {name('i.TABNAME')}, {name('i.UNIQUERULE', 1)}, {name('i.INDNAME')}, "
    f"{name('u.COLNAME')} FROM SYSCAT.INDEXES i JOIN SYSCAT.INDEXCOLUSE u ON u.INDSCHEMA = i.INDSCHEMA "
    "AND u.INDNAME = i.INDNAME WHERE i.UNIQUERULE <> 'D' AND u.COLORDER <> 'I' "
    "ORDER BY i.TABSCHEMA, i.TABNAME, i.INDNAME, u.COLSEQ",
)


_ZOS_TYPE: Final = (
    "CASE {0}.COLTYPE WHEN 'TIMESTMP' THEN 'TIMESTAMP' WHEN 'VARG' THEN 'VARGRAPHIC' WHEN 'LONGVARG' THEN 'LONG VARGRAPHIC' "
    "WHEN 'LONGVAR' THEN 'LONG VARCHAR' WHEN 'VARBIN' THEN 'VARBINARY' "
    "WHEN 'FLOAT' THEN CASE {0}.LENGTH WHEN 4 THEN 'REAL' ELSE 'DOUBLE' END ELSE {0}.COLTYPE END"
)


def _zos_columns_of(alias: str) -> str:
    default = f"CASE WHEN {alias}.DEFAULTVALUE = '' THEN NULL ELSE {alias}.DEFAULTVALUE END"
    return (
        f"{name(f'{alias}.NAME')}, {name(_ZOS_TYPE.format(alias))}, {alias}.LENGTH, {alias}.SCALE, "
        f"CASE {alias}.FOREIGNKEY WHEN 'B' THEN 0 ELSE 1208 END, {name(f'{alias}.NULLS', 1)}, "
        f"{name(_ZOS_IDENTITY.format(alias), 1)}, {name(default, _LONGEST_DEFAULT)}"
    )


_ZOS_IDENTITY: Final = "CASE WHEN {0}.DEFAULT IN ('I', 'J') THEN 'Y' ELSE 'N' END"
_ZOS_CHANGE_TABLES: Final = (
    "{0}.IBMSNAP_REGISTER r JOIN SYSIBM.SYSTABLES c ON c.CREATOR = r.CD_OWNER AND c.NAME = r.CD_TABLE "
    "LEFT JOIN SYSIBM.SYSTABLES t ON t.CREATOR = r.SOURCE_OWNER AND t.NAME = r.SOURCE_TABLE WHERE r.SOURCE_OWNER <> ''"
)

ZOS: Final = CatalogSql(
    # Text is read as UTF-8 whatever a table's CCSID is: the server converts it.
    code_page="SELECT 1208 FROM SYSIBM.SYSTABLES WHERE CREATOR = {1} AND NAME = 'IBMSNAP_REGISTER'",
    made="SELECT CREATEDTS FROM SYSIBM.SYSTABLES WHERE CREATOR = {1} AND NAME = 'IBMSNAP_UOW'",
    stamp=_stamp(_ZOS_CHANGE_TABLES, "CREATEDTS", "ALTEREDTS", is_zos=True),
    index_stamp=_index_stamp(
        "SYSIBM.SYSINDEXES i ON i.TBCREATOR = r.SOURCE_OWNER AND i.TBNAME = r.SOURCE_TABLE", "i.CREATEDTS"
    ),
    register=f"SELECT {_registered(is_zos=True)}, c.CREATEDTS, t.ALTEREDTS, t.CREATEDTS FROM {_ZOS_CHANGE_TABLES}",
    change_columns=f"SELECT {name('k.TBCREATOR')}, {name('k.TBNAME')}, {name('k.NAME')} "
    "FROM {0}.IBMSNAP_REGISTER r JOIN SYSIBM.SYSCOLUMNS k ON k.TBCREATOR = r.CD_OWNER AND k.TBNAME = r.CD_TABLE "
    "WHERE r.SOURCE_OWNER <> '' ORDER BY k.TBCREATOR, k.TBNAME, k.COLNO",
    other_types=f"SELECT {name('k.TBCREATOR')}, {name('k.TBNAME')}, {_zos_columns_of('k')} FROM {{0}}.IBMSNAP_REGISTER r "
    "JOIN SYSIBM.SYSCOLUMNS k ON k.TBCREATOR = r.CD_OWNER AND k.TBNAME = r.CD_TABLE "
    "JOIN SYSIBM.SYSCOLUMNS s ON s.TBCREATOR = r.SOURCE_OWNER AND s.TBNAME = r.SOURCE_TABLE AND s.NAME = k.NAME "
    "WHERE r.SOURCE_OWNER <> '' AND (k.COLTYPE <> s.COLTYPE OR k.LENGTH <> s.LENGTH OR k.SCALE <> s.SCALE "
    "OR k.FOREIGNKEY <> s.FOREIGNKEY)",
    columns=f"SELECT {name('c.TBCREATOR')}, {name('c.TBNAME')}, {_zos_columns_of('c')} FROM SYSIBM.SYSCOLUMNS c "
    "JOIN SYSIBM.SYSTABLES t ON t.CREATOR = c.TBCREATOR AND t.NAME = c.TBNAME WHERE t.TYPE = 'T' "
    "ORDER BY c.TBCREATOR, c.TBNAME, c.COLNO",
    keys=f"SELECT {name('i.TBCREATOR')}, {name('i.TBNAME')}, {name('i.UNIQUERULE', 1)}, {name('i.NAME')}, "
    f"{name('u.COLNAME')} FROM SYSIBM.SYSINDEXES i JOIN SYSIBM.SYSKEYS u ON u.IXCREATOR = i.CREATOR AND u.IXNAME = i.NAME "
    "WHERE i.UNIQUERULE <> 'D' AND u.ORDERING <> ' ' ORDER BY i.TBCREATOR, i.TBNAME, i.NAME, u.COLSEQ",
)
