"""The catalogue's views, as far as clients of CDC read them.

A view's rows are made when a statement reads it, into a temporary table of its connection.

Sources: IBM Db2 documentation, "SYSCAT.TABLES" and the other catalogue views (LUW); "SYSTABLES", "SYSCOLUMNS" (Db2 for z/OS)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tailrace_standins.db2.engine import types
from tailrace_standins.db2.engine.catalog import SPACE, Column, Database, Index, Table
from tailrace_standins.db2.values import SqlType
from tailrace_standins.storage.sessions import Stored

_NAME: Final = types.varchar(128)
_FLAG: Final = SqlType("char", length=1)


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A column of a view."""

    name: str
    type: SqlType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class View:
    """A view with what gives its rows as stored values."""

    storage: str
    columns: tuple[ViewColumn, ...]
    rows: Callable[[Database], Iterator[Sequence[Stored]]]


def _columns(*pairs: tuple[str, SqlType]) -> tuple[ViewColumn, ...]:
    return tuple(ViewColumn(name, of) for name, of in pairs)


def _tables(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        keys = sum(index.kind == "U" and index.is_constraint for index in table.indexes)
        yield (table.schema, table.name, table.schema, "S", "T", "N", table.created, table.altered, len(table.columns),
        table.id,
               SPACE, "Y" if table.captured else "N", table.remarks, keys, "USERSPACE1")  # fmt: skip


def _length(of: SqlType) -> int:
    fixed = {"smallint": 2, "integer": 4, "bigint": 8, "real": 4, "double": 8, "date": 4, "time": 3, "boolean": 1}
    if of.name == "timestamp":
        return 7 + (of.scale + 1) // 2
    return fixed.get(of.name) or ({16: 8, 34: 16}[of.precision] if of.name == "decfloat" else of.precision or of.length)


def codepage(of: SqlType) -> int:
    """The code page of a column: 0 for what is no text."""
    if not types.is_text(of) or of.name == "xml":
        return 0
    return 1200 if "graphic" in of.name or of.name == "dbclob" else 1208


def default_text(column: Column) -> str | None:
    """The default as the catalogue shows it."""
    if column.default != "":
        return column.default
    if types.is_text(column.type) or types.is_binary(column.type):
        return "''"
    return {"date": "CURRENT DATE", "time": "CURRENT TIME", "timestamp": "CURRENT TIMESTAMP"}.get(column.type.name, "0")


def _all_columns(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        primary = next((index for index in table.indexes if index.kind == "P"), None)
        places = {column: place for place, (column, _) in enumerate(primary.columns, 1)} if primary else {}
        for number, column in enumerate(table.columns):
            generated = (
                ""
                if column.identity is None and not column.generated
                else "A"
                if column.identity is None or column.identity.always
                else "D"
            )
            yield (table.schema, table.name, column.name, number, "SYSIBM", types.shown(column.type), _length(column.type),
                   column.type.scale, default_text(column), "Y" if column.nullable else "N", codepage(column.type),
                   places.get(column.id), "Y" if column.identity else "N", generated,
                   f"AS ({column.generated})" if column.generated else None, column.remarks, "")  # fmt: skip


def _indexes(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        for index in table.indexes:
            names = "".join(("-" if down else "+") + table.by_id(column).name for column, down in index.columns)
            yield (index.schema, index.name, table.schema, table.name, names, index.kind, len(index.columns), index.id,
                   table.id, int(index.is_constraint), "REG ")  # fmt: skip


def _index_columns(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        for index in table.indexes:
            for place, (column, down) in enumerate(index.columns, 1):
                yield index.schema, index.name, table.by_id(column).name, place, "D" if down else "A"


def constraints(table: Table) -> list[Index]:
    """The indexes of its PRIMARY KEY and UNIQUE constraints."""
    return [index for index in table.indexes if index.is_constraint]


def _constraints(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        for index in constraints(table):
            yield index.name, table.schema, table.name, index.kind, "Y", None


def _key_columns(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        for index in constraints(table):
            for place, (column, _) in enumerate(index.columns, 1):
                yield index.name, table.schema, table.name, table.by_id(column).name, place


def _schemas(database: Database) -> Iterator[Sequence[Stored]]:
    for schema in sorted(database.schemas):
        yield schema, "SYSIBM", "DB2INST1"


def _zos_tables(database: Database) -> Iterator[Sequence[Stored]]:
    for table in list(database.tables.values()):
        yield table.name, table.schema, "T", SPACE, table.id, len(table.columns), "Y" if table.captured else " "


def _zos_columns(database: Database) -> Iterator[Sequence[Stored]]:
    zos = {"CHARACTER": "CHAR", "VARGRAPHIC": "VARG", "TIMESTAMP": "TIMESTMP", "DOUBLE": "FLOAT", "REAL": "FLOAT"}
    for schema, table, name, number, _, shown, length, scale, default, nulls, page, key, *_rest in _all_columns(
        database
    ):
        yield name, table, schema, number + 1, zos.get(shown, shown), length, scale, nulls, key or 0, default, page


VIEWS: Final[dict[tuple[str, str], View]] = {
    ("SYSIBM", "SYSDUMMY1"): View("v_dummy", _columns(("IBMREQD", _FLAG)), lambda _: iter([("Y",)])),
    ("SYSCAT", "TABLES"): View("v_tables", _columns(
        ("TABSCHEMA", _NAME), ("TABNAME", _NAME), ("OWNER", _NAME), ("OWNERTYPE", _FLAG), ("TYPE", _FLAG), ("STATUS", _FLAG),
        ("CREATE_TIME", types.TIMESTAMP), ("ALTER_TIME", types.TIMESTAMP), ("COLCOUNT", types.SMALLINT), ("TABLEID",
        types.SMALLINT),
        ("TBSPACEID", types.SMALLINT), ("DATACAPTURE", _FLAG), ("REMARKS", types.varchar(254)), ("KEYUNIQUE", types.SMALLINT),
        ("TBSPACE", _NAME)), _tables),
    ("SYSCAT", "COLUMNS"): View("v_columns", _columns(
        ("TABSCHEMA", _NAME), ("TABNAME", _NAME), ("COLNAME", _NAME), ("COLNO", types.SMALLINT), ("TYPESCHEMA", _NAME),
        ("TYPENAME", _NAME), ("LENGTH", types.INTEGER), ("SCALE", types.SMALLINT), ("DEFAULT", types.varchar(32672)),
        ("NULLS", _FLAG),
        ("CODEPAGE", types.SMALLINT), ("KEYSEQ", types.SMALLINT), ("IDENTITY", _FLAG), ("GENERATED", _FLAG),
        ("TEXT", types.varchar(32672)), ("REMARKS", types.varchar(254)), ("HIDDEN", _FLAG)), _all_columns),
    ("SYSCAT", "INDEXES"): View("v_indexes", _columns(
        ("INDSCHEMA", _NAME), ("INDNAME", _NAME), ("TABSCHEMA", _NAME), ("TABNAME", _NAME), ("COLNAMES", types.varchar(640)),
        ("UNIQUERULE", _FLAG), ("COLCOUNT", types.SMALLINT), ("IID", types.SMALLINT), ("INDEX_OBJECTID", types.INTEGER),
        ("SYSTEM_REQUIRED", types.SMALLINT), ("INDEXTYPE", SqlType("char", length=4))), _indexes),
    ("SYSCAT", "INDEXCOLUSE"): View("v_indexcoluse", _columns(
        ("INDSCHEMA", _NAME), ("INDNAME", _NAME), ("COLNAME", _NAME), ("COLSEQ", types.SMALLINT), ("COLORDER", _FLAG)),
        _index_columns),
    ("SYSCAT", "TABCONST"): View("v_tabconst", _columns(
        ("CONSTNAME", _NAME), ("TABSCHEMA", _NAME), ("TABNAME", _NAME), ("TYPE", _FLAG), ("ENFORCED", _FLAG),
        ("REMARKS", types.varchar(254))), _constraints),
    ("SYSCAT", "KEYCOLUSE"): View("v_keycoluse", _columns(
        ("CONSTNAME", _NAME), ("TABSCHEMA", _NAME), ("TABNAME", _NAME), ("COLNAME", _NAME), ("COLSEQ", types.SMALLINT)),
        _key_columns),
    ("SYSCAT", "SCHEMATA"): View("v_schemata", _columns(("SCHEMANAME", _NAME), ("OWNER", _NAME), ("DEFINER", _NAME)), _schemas),
    ("SYSIBM", "SYSTABLES"): View("v_systables", _columns(
        ("NAME", _NAME), ("CREATOR", _NAME), ("TYPE", _FLAG), ("DBID", types.SMALLINT), ("OBID", types.SMALLINT),
        ("COLCOUNT", types.SMALLINT), ("DATACAPTURE", _FLAG)), _zos_tables),
    ("SYSIBM", "SYSCOLUMNS"): View("v_syscolumns", _columns(
        ("NAME", _NAME), ("TBNAME", _NAME), ("TBCREATOR", _NAME), ("COLNO", types.SMALLINT), ("COLTYPE", types.varchar(18)),
        ("LENGTH", types.INTEGER), ("SCALE", types.SMALLINT), ("NULLS", _FLAG), ("KEYSEQ", types.SMALLINT),
        ("DEFAULTVALUE", types.varchar(1536)), ("CCSID", types.INTEGER)), _zos_columns),
}  # fmt: skip
"""By schema and name."""
