"""The procedures behind the metadata calls of ODBC and JDBC.

Source: "Catalog stored procedures",
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/catalog-stored-procedures-transact-sql
"""

# ruff: noqa: E501  # texts of SQL Server and lists of columns are not wrapped
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tailrace_standins.sqlserver.engine import types
from tailrace_standins.sqlserver.engine.catalog import Column, Database, Index, Table
from tailrace_standins.sqlserver.engine.metadata import odbc_types, view_types
from tailrace_standins.sqlserver.engine.metadata.arguments import (
    Run,
    database_named,
    matches,
    procedure,
    result,
    text_of,
)
from tailrace_standins.sqlserver.engine.metadata.views import row_count, tables_of
from tailrace_standins.sqlserver.session import Outcome, Parameter
from tailrace_standins.sqlserver.values import Value

if TYPE_CHECKING:
    from tailrace_standins.sqlserver.engine.session import EngineSession


def _sp_tables(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    qualifier = text_of(p, "@table_qualifier")
    name, owner, kind = text_of(p, "@table_name"), text_of(p, "@table_owner"), text_of(p, "@table_type")
    shown = "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n TABLE_TYPE:n REMARKS:x"
    if qualifier == "%" and name == "" and owner == "":
        yield result(shown, [(d.name, None, None, None, None) for d in session.engine.catalog.databases.values()])
        return
    where = database_named(session, database, {} if qualifier in {None, "%"} else p, "@table_qualifier")
    if kind and "'TABLE'" not in kind.upper() and kind != "%":
        yield result(shown, [])
        return
    found = [t for t in tables_of(session, where) if matches(name, t.name) and matches(owner, t.schema)]
    found.sort(key=lambda t: (t.schema.lower(), t.name.lower()))
    yield result(shown, [(where.name, t.schema, t.name, "TABLE", None) for t in found])


def _columns(style: int) -> Run:
    def run(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
        where = database_named(session, database, p, "@table_qualifier")
        exact = text_of(p, "@fusepattern") == "0"
        version = int(text_of(p, "@odbcver") or 2)
        name, owner, column = text_of(p, "@table_name"), text_of(p, "@table_owner"), text_of(p, "@column_name")
        rows: list[tuple[Value, ...]] = []
        for t in tables_of(session, where):
            if matches(name, t.name, exact=exact) and matches(owner, t.schema, exact=exact):
                rows += [
                    _column_row(where, t, place, c, version, style)
                    for place, c in enumerate(t.columns, 1)
                    if matches(column, c.name, exact=exact)
                ]
        yield result(_COLUMNS if style == 0 else _COLUMNS_100, rows)

    return run


_COLUMNS: Final = (
    "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n COLUMN_NAME:n DATA_TYPE:s TYPE_NAME:n PRECISION:i LENGTH:i SCALE:s RADIX:s NULLABLE:s "
    "REMARKS:x COLUMN_DEF:x SQL_DATA_TYPE:s SQL_DATETIME_SUB:s CHAR_OCTET_LENGTH:i ORDINAL_POSITION:i IS_NULLABLE:n SS_DATA_TYPE:t"
)
_COLUMNS_100: Final = (
    _COLUMNS.rpartition(" ")[0]
    + " SS_IS_SPARSE:s SS_IS_COLUMN_SET:s SS_IS_COMPUTED:s SS_IS_IDENTITY:s SS_UDT_CATALOG_NAME:n SS_UDT_SCHEMA_NAME:n "
    "SS_UDT_ASSEMBLY_TYPE_NAME:x SS_XML_SCHEMACOLLECTION_CATALOG_NAME:n SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:n SS_XML_SCHEMACOLLECTION_NAME:n SS_DATA_TYPE:t"
)
_SS_TYPES: Final = {
    "bit": 50, "tinyint": 48, "smallint": 52, "int": 56, "bigint": 63, "real": 59, "float": 62, "decimal": 55, "numeric": 63, "money": 60, "smallmoney": 122,
    "char": 47, "varchar": 39, "text": 35, "nchar": 39, "nvarchar": 39, "ntext": 35, "binary": 45, "varbinary": 37, "image": 34, "timestamp": 45,
    "uniqueidentifier": 37, "datetime": 61, "smalldatetime": 58, "date": 0, "time": 0, "datetime2": 0, "datetimeoffset": 0, "sql_variant": 39, "xml": 0,
}  # fmt: skip


def _column_row(database: Database, t: Table, place: int, c: Column, version: int, style: int) -> tuple[Value, ...]:
    of = c.type
    number = (view_types.ODBC_3_TYPES if version >= 3 and style == 100 else view_types.ODBC_TYPES)[of.name]
    numeric = types.is_number(of)
    scaled = (
        of.scale
        if (numeric and types.family(of) != "float") or of.name in {"time", "datetime2", "datetimeoffset", "datetime"}
        else 0
        if of.name == "smalldatetime"
        else None
    )
    octets = view_types.odbc_length(of) if types.family(of) in {"text", "binary"} else None
    shown = c.alias or of.name
    if c.identity:  # as spt_datatype_info names them
        shown += "() identity" if shown in {"decimal", "numeric"} else " identity"
    moment = types.family(of) in {"date", "time", "datetime", "offset"}
    sub = (
        {"date": 1, "time": 0, "datetime": 3, "smalldatetime": 3, "datetime2": 3, "datetimeoffset": 0}.get(of.name)
        if moment
        else None
    )
    radix = (2 if types.family(of) == "float" else 10) if numeric and of.name != "bit" else None
    head = (
        database.name, t.schema, t.name, c.name, number, shown, view_types.odbc_precision(of), view_types.odbc_length(of), scaled, radix, int(c.nullable),
        None, c.default.text if c.default else None, 9 if number in {91, 93} else number, sub, octets, place, "YES" if c.nullable else "NO",
    )  # fmt: skip
    if style == 0:
        return (*head, _SS_TYPES[of.name])
    return (
        *head,
        0,
        0,
        int(bool(c.computed)),
        int(bool(c.identity)),
        None,
        None,
        None,
        None,
        None,
        None,
        _SS_TYPES[of.name],
    )


def _sp_pkeys(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    where = database_named(session, database, p, "@table_qualifier")
    name, owner = text_of(p, "@table_name"), text_of(p, "@table_owner")
    rows = []
    for t in tables_of(session, where):
        if t.primary_key is not None and matches(name, t.name, exact=True) and matches(owner, t.schema, exact=True):
            rows += [
                (where.name, t.schema, t.name, t.by_id[c].name, place, t.primary_key.name)
                for place, (c, _) in enumerate(t.primary_key.columns, 1)
            ]
    yield result("TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n COLUMN_NAME:n KEY_SEQ:s PK_NAME:n", rows)


def _sp_statistics(session: EngineSession, database: Database, p: dict[str, Parameter]) -> Iterator[Outcome]:
    where = database_named(session, database, p, "@table_qualifier")
    name, owner, only_unique = (
        text_of(p, "@table_name"),
        text_of(p, "@table_owner"),
        (text_of(p, "@is_unique") or "N").upper() == "Y",
    )
    rows: list[tuple[Value, ...]] = []
    for t in tables_of(session, where):
        if matches(name, t.name) and matches(owner, t.schema):
            rows.append(
                (where.name, t.schema, t.name, None, None, None, 0, None, None, None, row_count(session, t), 0, None)
            )
            for i in sorted(t.indexes, key=lambda i: (not i.unique, not i.clustered, i.name)):
                if i.unique or not only_unique:
                    rows += _index_rows(session, where, t, i)
    yield result(
        "TABLE_QUALIFIER:n TABLE_OWNER:n TABLE_NAME:n NON_UNIQUE:s INDEX_QUALIFIER:n INDEX_NAME:n TYPE:s SEQ_IN_INDEX:s COLUMN_NAME:n COLLATION:c CARDINALITY:i PAGES:i FILTER_CONDITION:x",
        rows,
    )


def _index_rows(session: EngineSession, database: Database, t: Table, i: Index) -> list[tuple[Value, ...]]:
    count = row_count(session, t)
    return [
        (
            database.name,
            t.schema,
            t.name,
            int(not i.unique),
            t.name,
            i.name,
            1 if i.clustered else 3,
            place,
            t.by_id[c].name,
            "D" if down else "A",
            count,
            1,
            None,
        )
        for place, (c, down) in enumerate(i.columns, 1)
    ]


def _sp_databases(session: EngineSession, _database: Database, _p: dict[str, Parameter]) -> Iterator[Outcome]:
    yield result(
        "DATABASE_NAME:n DATABASE_SIZE:i REMARKS:x",
        [(d.name, 16384, None) for d in session.engine.catalog.databases.values()],
    )


_ODBC: Final = "table_name table_owner table_qualifier"
ODBC_PROCEDURES: Final = (
    procedure("sp_tables", f"{_ODBC} table_type fusepattern", _sp_tables),
    procedure("sp_columns", f"{_ODBC} column_name odbcver", _columns(0), 1),
    procedure("sp_columns_100", f"{_ODBC} column_name namescope odbcver fusepattern", _columns(100), 1),
    procedure("sp_columns_90", f"{_ODBC} column_name namescope odbcver fusepattern", _columns(100), 1),
    procedure("sp_pkeys", _ODBC, _sp_pkeys, 1),
    procedure("sp_statistics", f"{_ODBC} index_name is_unique accuracy", _sp_statistics, 1),
    procedure("sp_statistics_100", f"{_ODBC} index_name is_unique accuracy", _sp_statistics, 1),
    procedure("sp_databases", "", _sp_databases),
    procedure("sp_datatype_info", "data_type odbcver", odbc_types.datatype_info),
    procedure("sp_datatype_info_100", "data_type odbcver", odbc_types.datatype_info),
)
