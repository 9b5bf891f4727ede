"""Structures of tables, as Debezium sees them through JDBC: two catalogue queries for all tables of a database.

Type names are those of `sp_columns_100` (`int identity`, `decimal() identity`; for an alias type its own name), lengths
and scales its PRECISION and SCALE, and type numbers those that Microsoft's JDBC driver derives from its DATA_TYPE.
Debezium knows no comments and no character sets of this database.

A capture instance keeps the columns for which it was created. Debezium takes the current source table without columns
that are not captured. A captured column that the source table no longer has is left out too, and one whose type was
altered has its new type, which the capture job also gives to the change table. This does the same.

Source: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-columns-transact-sql and
https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-columns-100-transact-sql
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tailrace.connectors.shared import jdbc
from tailrace.connectors.sqlserver import jdbc_types
from tailrace.schema.tables import Column, Table, TableId

if TYPE_CHECKING:
    from tailrace.connectors.sqlserver.connection import Session

_COLUMNS: Final = """
    SELECT s.name, t.name, c.name, y.name, b.name, y.user_type_id, c.max_length, c.precision, c.scale, c.is_nullable,
           c.is_identity, c.is_computed, d.definition
    FROM sys.tables t
    JOIN sys.schemas s ON s.schema_id = t.schema_id
    JOIN sys.columns c ON c.object_id = t.object_id
    JOIN sys.types y ON y.user_type_id = c.user_type_id
    LEFT JOIN sys.types b ON b.user_type_id = c.system_type_id
    LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
    WHERE t.is_ms_shipped = 0
    ORDER BY t.object_id, c.column_id"""
_KEYS: Final = """
    SELECT s.name, t.name, i.is_primary_key, i.type, i.name, c.name
    FROM sys.tables t
    JOIN sys.schemas s ON s.schema_id = t.schema_id
    JOIN sys.indexes i ON i.object_id = t.object_id AND i.is_unique = 1 AND i.is_disabled = 0 AND i.has_filter = 0
        AND i.is_hypothetical = 0
    JOIN sys.index_columns x ON x.object_id = i.object_id AND x.index_id = i.index_id AND x.key_ordinal > 0
    JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id
    WHERE t.is_ms_shipped = 0
    ORDER BY i.object_id, i.index_id, x.key_ordinal"""

UNLIMITED: Final = 2_147_483_647
_LAST_SYSTEM_TYPE: Final = 255  # greater numbers are types with names of their own: sysname (256) and aliases
_CLUSTERED: Final = 1
_JDBC: Final = {
    "bit": jdbc.BIT,
    "tinyint": jdbc.TINYINT,
    "smallint": jdbc.SMALLINT,
    "int": jdbc.INTEGER,
    "bigint": jdbc.BIGINT,
    "real": jdbc.REAL,
    "float": jdbc.DOUBLE,
    "decimal": jdbc.DECIMAL,
    "numeric": jdbc.NUMERIC,
    "money": jdbc.DECIMAL,
    "smallmoney": jdbc.DECIMAL,
    "char": jdbc.CHAR,
    "varchar": jdbc.VARCHAR,
    "text": jdbc.LONGVARCHAR,
    "nchar": jdbc.NCHAR,
    "nvarchar": jdbc.NVARCHAR,
    "ntext": jdbc.LONGNVARCHAR,
    "xml": jdbc.LONGNVARCHAR,
    "json": jdbc.NVARCHAR,
    "vector": jdbc.VARCHAR,
    "binary": jdbc.BINARY,
    "timestamp": jdbc.BINARY,
    "varbinary": jdbc.VARBINARY,
    "image": jdbc.LONGVARBINARY,
    "uniqueidentifier": jdbc.CHAR,
    "date": jdbc.DATE,
    "time": jdbc.TIME,
    "smalldatetime": jdbc.TIMESTAMP,
    "datetime": jdbc.TIMESTAMP,
    "datetime2": jdbc.TIMESTAMP,
    "datetimeoffset": jdbc_types.DATETIMEOFFSET,
    "sql_variant": jdbc_types.SQL_VARIANT,
}
_CLR: Final = jdbc.VARBINARY  # hierarchyid, geometry, geography and types from users' assemblies
_LENGTHS: Final = {"bit": 1, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19, "real": 24, "float": 53} | {
    "ntext": UNLIMITED // 2,
    "uniqueidentifier": 36,
    "date": 10,
    "smalldatetime": 16,
    "datetime": 23,
    **dict.fromkeys(("text", "image", "xml", "json", "vector", "sql_variant"), UNLIMITED),
}
_BEFORE_FRACTION: Final = {"time": 8, "datetime2": 19, "datetimeoffset": 26}  # characters
_WHOLE: Final = frozenset({"bit", "tinyint", "smallint", "int", "bigint", "smalldatetime"})
_SCALED: Final = frozenset({"decimal", "numeric", "money", "smallmoney", "datetime", *_BEFORE_FRACTION})
_TWO_BYTES: Final = frozenset({"nchar", "nvarchar"})
_IDENTITY: Final = {"decimal": "decimal() identity", "numeric": "numeric() identity"}


def tables(session: Session, database: str, wanted: Callable[[TableId], bool]) -> dict[TableId, Table]:
    """The wanted tables of the session's database, by name."""
    columns: defaultdict[TableId, list[Column]] = defaultdict(list)
    asked: dict[TableId, bool] = {}
    for schema, table, *row in session.rows(_COLUMNS):
        table_id = TableId(database, schema, table)
        if table_id not in asked:
            asked[table_id] = wanted(table_id)
        if asked[table_id]:
            columns[table_id].append(column_of(row))
    keys = _keys(session.rows(_KEYS), database)
    return {each: Table(each, tuple(columns[each]), keys.get(each, ())) for each in sorted(columns)}


def column_of(row: Sequence[Any]) -> Column:
    """A column from a row of the catalogue.

    `row` has the column's name, its type's name, the base type's name, the type's number, size in bytes, precision,
    scale, whether it is nullable, is an identity, is computed, and its default.
    """
    name, type_, base, type_id, size, precision, scale, nullable, identity, computed, default = row
    base = base or type_  # a CLR type has no base type
    shown = _type_name(type_, base, is_alias=type_id > _LAST_SYSTEM_TYPE, is_identity=bool(identity))
    return Column(
        name,
        shown,
        shown,
        _JDBC.get(base, _CLR),
        length=_length(base, size, precision, scale),
        scale=int(scale) if base in _SCALED else 0 if base in _WHOLE else None,
        optional=bool(nullable),
        auto_incremented=bool(identity),
        generated=bool(computed),
        has_default=default is not None or bool(nullable),
        default=default,
    )


def _type_name(type_: str, base: str, *, is_alias: bool, is_identity: bool) -> str:
    if is_alias and base in _JDBC:
        return type_
    return _IDENTITY.get(type_, f"{type_} identity") if is_identity else type_


def _length(base: str, size: int, precision: int, scale: int) -> int:
    """PRECISION of sp_columns_100; the JDBC driver returns the greatest integer for types without a limit."""
    if base in _LENGTHS:
        return _LENGTHS[base]
    if base in _BEFORE_FRACTION:
        return _BEFORE_FRACTION[base] + (scale + 1 if scale else 0)
    if base in _SCALED:
        return precision
    if size < 0:
        return UNLIMITED
    return size // 2 if base in _TWO_BYTES else size


def _keys(rows: Sequence[tuple[Any, ...]], database: str) -> dict[TableId, tuple[str, ...]]:
    """The primary key of each table; without one, the first unique index in JDBC's order.

    That order has clustered indexes first, and then goes by name. Filtered indexes are not keys.
    """
    found: defaultdict[TableId, defaultdict[tuple[bool, bool, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for schema, table, is_primary, kind, index, column in rows:
        order = not is_primary, kind != _CLUSTERED, str(index).lower()
        found[TableId(database, schema, table)][order].append(column)
    return {table: tuple(indexes[min(indexes)]) for table, indexes in found.items()}
