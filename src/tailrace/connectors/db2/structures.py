"""Structures of tables, as Debezium sees them through JDBC: two catalogue queries for all tables of a database.

Type names and numbers are those of IBM's JDBC driver, lengths and scales its COLUMN_SIZE and DECIMAL_DIGITS. Debezium knows no
comments and no character sets of this database.

Source: IBM Db2 documentation, "SYSCAT.COLUMNS", "SYSCAT.INDEXES"; the schema history of Debezium 3.6.1 (types.py)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from tailrace.connectors.db2.catalog_sql import LUW, CatalogSql
from tailrace.connectors.db2.types import XML_TYPE
from tailrace.connectors.shared import jdbc
from tailrace.schema.tables import Column, Table, TableId

_JDBC: Final = {
    "SMALLINT": jdbc.SMALLINT,
    "INTEGER": jdbc.INTEGER,
    "BIGINT": jdbc.BIGINT,
    "REAL": jdbc.REAL,
    "DOUBLE": jdbc.DOUBLE,
    "DECIMAL": jdbc.DECIMAL,
    "DECFLOAT": jdbc.OTHER,
    "BOOLEAN": jdbc.BOOLEAN,
    "CHAR": jdbc.CHAR,
    "VARCHAR": jdbc.VARCHAR,
    "LONG VARCHAR": jdbc.LONGVARCHAR,
    "GRAPHIC": jdbc.CHAR,
    "VARGRAPHIC": jdbc.VARCHAR,
    "LONG VARGRAPHIC": jdbc.LONGVARCHAR,
    "CLOB": jdbc.CLOB,
    "DBCLOB": jdbc.CLOB,
    "BLOB": jdbc.BLOB,
    "BINARY": jdbc.BINARY,
    "VARBINARY": jdbc.VARBINARY,
    "DATE": jdbc.DATE,
    "TIME": jdbc.TIME,
    "TIMESTAMP": jdbc.TIMESTAMP,
    "XML": XML_TYPE,
}
_BIT_DATA: Final = {
    "CHAR": ("CHAR () FOR BIT DATA", jdbc.BINARY),
    "VARCHAR": ("VARCHAR () FOR BIT DATA", jdbc.VARBINARY),
    "LONG VARCHAR": ("LONG VARCHAR FOR BIT DATA", jdbc.LONGVARBINARY),
}
_LENGTHS: Final = {"SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "REAL": 24, "DOUBLE": 53, "DATE": 10, "TIME": 8, "BOOLEAN": 1}
_WHOLE: Final = frozenset({"SMALLINT", "INTEGER", "BIGINT", "TIME", "DECFLOAT"})
_DECFLOATS: Final = {8: 16, 16: 34}
_BEFORE_FRACTION: Final = 19  # characters of a timestamp


class Session(Protocol):
    """What reads the catalogue."""

    def rows(self, sql: str, *params: Any) -> Sequence[tuple[Any, ...]]:
        """The rows of a query."""
        ...


def tables(
    session: Session, database: str, wanted: Callable[[TableId], bool], sql: CatalogSql = LUW
) -> dict[TableId, Table]:
    """The wanted tables of the session's database, by name."""
    columns: defaultdict[TableId, list[Column]] = defaultdict(list)
    asked: dict[TableId, bool] = {}
    for schema, table, *row in session.rows(sql.columns):
        table_id = TableId(database, str(schema).rstrip(" "), table)
        if table_id not in asked:
            asked[table_id] = wanted(table_id)
        if asked[table_id]:
            columns[table_id].append(column_of(row))
    keys = _keys(session.rows(sql.keys), database)
    return {each: Table(each, tuple(columns[each]), keys.get(each, ())) for each in sorted(columns)}


def column_of(row: Sequence[Any]) -> Column:
    """A column from a row of the catalogue: name, type, LENGTH, SCALE, CODEPAGE, NULLS, IDENTITY, DEFAULT."""
    name, type_, size, scale, code_page, nulls, identity, default = row
    base = "CHAR" if type_.rstrip() == "CHARACTER" else str(type_).rstrip()
    shown, number = base, _JDBC.get(base, jdbc.OTHER)
    if code_page == 0 and base in _BIT_DATA:
        shown, number = _BIT_DATA[base]
    return Column(
        name,
        shown,
        shown,
        number,
        length=_length(base, int(size), int(scale)),
        scale=int(scale) if base in {"DECIMAL", "TIMESTAMP"} else 0 if base in _WHOLE else None,
        optional=nulls == "Y",
        auto_incremented=identity == "Y",
        generated=identity == "G",
        has_default=default is not None or nulls == "Y",
        default=default,
    )


def _length(base: str, size: int, scale: int) -> int:
    """COLUMN_SIZE."""
    if base == "TIMESTAMP":
        return _BEFORE_FRACTION + (scale + 1 if scale else 0)
    if base == "DECFLOAT":
        return _DECFLOATS.get(size, size)
    return _LENGTHS.get(base, size)


def _keys(rows: Sequence[tuple[Any, ...]], database: str) -> dict[TableId, tuple[str, ...]]:
    """The primary key of each table; without one, the first unique index by name."""
    found: defaultdict[TableId, defaultdict[tuple[bool, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for schema, table, rule, index, column in rows:
        found[TableId(database, str(schema).rstrip(" "), table)][rule != "P", index].append(column)
    return {table: tuple(indexes[min(indexes)]) for table, indexes in found.items()}
