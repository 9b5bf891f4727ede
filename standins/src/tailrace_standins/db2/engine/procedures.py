"""The catalogue's procedures that drivers call for metadata: tables, columns, primary keys, indexes.

Their rows are those that JDBC describes.

Sources: JDBC 4.3, `DatabaseMetaData.getTables`, `getColumns`, `getPrimaryKeys`, `getIndexInfo`; the calls of jcc,
as read on the wire
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tailrace_standins.db2.engine import system, types
from tailrace_standins.db2.engine.catalog import Column as TableColumn
from tailrace_standins.db2.engine.catalog import Table
from tailrace_standins.db2.session import Column, Rows, SqlError
from tailrace_standins.db2.values import SqlType, Value

if TYPE_CHECKING:
    from tailrace_standins.db2.engine.session import EngineSession

_JDBC: Final = {
    "smallint": 5, "integer": 4, "bigint": -5, "real": 7, "double": 8, "decimal": 3, "decfloat": 1111, "boolean": 16, "char": 1,
    "varchar": 12, "long varchar": -1, "graphic": 1, "vargraphic": 12, "long vargraphic": -1, "binary": -2, "varbinary": -3,
    "clob": 2005, "dbclob": 2005, "blob": 2004, "xml": 2009, "date": 91, "time": 92, "timestamp": 93,
}  # fmt: skip
_WIDTHS: Final = {
    "smallint": 5,
    "integer": 10,
    "bigint": 19,
    "real": 24,
    "double": 53,
    "date": 10,
    "time": 8,
    "boolean": 1,
}
_NAME: Final = types.varchar(128)
_TEXT: Final = types.varchar(254)


def _shape(text: str) -> tuple[Column, ...]:
    kinds = {"n": _NAME, "t": _TEXT, "i": types.INTEGER, "s": types.SMALLINT, "l": types.varchar(32672)}
    return tuple(Column(word[2:], kinds[word[0]]) for word in text.split())


_TABLES: Final = _shape("n:TABLE_CAT n:TABLE_SCHEM n:TABLE_NAME n:TABLE_TYPE t:REMARKS n:TYPE_CAT n:TYPE_SCHEM n:TYPE_NAME "
                        "n:SELF_REFERENCING_COL_NAME n:REF_GENERATION")  # fmt: skip
_COLUMNS: Final = _shape(
    "n:TABLE_CAT n:TABLE_SCHEM n:TABLE_NAME n:COLUMN_NAME s:DATA_TYPE n:TYPE_NAME i:COLUMN_SIZE i:BUFFER_LENGTH "
    "s:DECIMAL_DIGITS "
    "s:NUM_PREC_RADIX s:NULLABLE t:REMARKS l:COLUMN_DEF s:SQL_DATA_TYPE s:SQL_DATETIME_SUB i:CHAR_OCTET_LENGTH "
    "i:ORDINAL_POSITION "
    "n:IS_NULLABLE n:SCOPE_CATALOG n:SCOPE_SCHEMA n:SCOPE_TABLE s:SOURCE_DATA_TYPE n:IS_AUTOINCREMENT n:IS_GENERATEDCOLUMN"
)
_PRIMARY_KEYS: Final = _shape("n:TABLE_CAT n:TABLE_SCHEM n:TABLE_NAME n:COLUMN_NAME s:KEY_SEQ n:PK_NAME")
_STATISTICS: Final = _shape(
    "n:TABLE_CAT n:TABLE_SCHEM n:TABLE_NAME s:NON_UNIQUE n:INDEX_QUALIFIER n:INDEX_NAME s:TYPE s:ORDINAL_POSITION "
    "n:COLUMN_NAME "
    "n:ASC_OR_DESC i:CARDINALITY i:PAGES t:FILTER_CONDITION"
)


def called(session: EngineSession, name: str, parameters: Sequence[Value]) -> Sequence[Rows]:
    """The result set of a procedure; raises `SqlError` -440 for one that is not known."""
    given = [str(value) if value is not None else None for value in parameters]
    tables = sorted(session.database.tables.values(), key=lambda table: (table.schema, table.name))
    wanted = [t for t in tables if _like(t.schema, given[1]) and _like(t.name, given[2])] if len(given) > 2 else tables
    if name == "SYSIBM.SQLTABLES":
        kinds = given[3] if len(given) > 3 else None
        rows = _tables([] if kinds and "TABLE" not in re.findall(r"[A-Z ]+", kinds) else wanted)
        return [_rows(_TABLES, rows)]
    if name == "SYSIBM.SQLCOLUMNS":
        return [_rows(_COLUMNS, _columns(wanted, given[3] if len(given) > 3 else None))]
    exact = [t for t in tables if len(given) > 2 and t.name == given[2] and (given[1] is None or t.schema == given[1])]
    if name == "SYSIBM.SQLPRIMARYKEYS":
        return [_rows(_PRIMARY_KEYS, _primary_keys(exact))]
    if name == "SYSIBM.SQLSTATISTICS":
        return [_rows(_STATISTICS, _statistics(exact, unique=len(given) > 3 and given[3] == "0"))]
    raise SqlError(-440, "42884", name, "PROCEDURE")


def _rows(columns: tuple[Column, ...], rows: Iterator[tuple[Value, ...]]) -> Rows:
    return Rows(columns, (piece for piece in [list(rows)] if piece))


def _like(name: str, pattern: str | None) -> bool:
    if not pattern:
        return True
    text = "".join(
        re.escape(part[1])
        if part.startswith("\\") and len(part) > 1
        else {"%": ".*", "_": "."}.get(part, re.escape(part))
        for part in re.findall(r"\\.|.", pattern, re.DOTALL)
    )
    return re.fullmatch(text, name, re.DOTALL) is not None


def _tables(tables: Sequence[Table]) -> Iterator[tuple[Value, ...]]:
    for table in tables:
        yield None, table.schema, table.name, "TABLE", table.remarks, None, None, None, None, None


def type_name(of: SqlType) -> str:
    """TYPE_NAME of JDBC."""
    if of.bit_data:
        return {"char": "CHAR () FOR BIT DATA", "varchar": "VARCHAR () FOR BIT DATA"}.get(
            of.name, "LONG VARCHAR FOR BIT DATA"
        )
    return of.name.upper()


def _sizes(of: SqlType) -> tuple[int, int | None]:
    if of.name in {"decimal", "decfloat"}:
        return of.precision, of.scale
    if of.name == "timestamp":
        return 20 + of.scale if of.scale else 19, of.scale
    return _WIDTHS.get(of.name, of.length), 0 if of.name in types.WHOLE or of.name == "time" else None


def jdbc_type(of: SqlType) -> int:
    """DATA_TYPE of JDBC."""
    if of.bit_data:
        return {"char": -2, "varchar": -3}.get(of.name, -4)
    return _JDBC[of.name]


def _columns(tables: Sequence[Table], pattern: str | None) -> Iterator[tuple[Value, ...]]:
    for table in tables:
        for place, column in enumerate(table.columns, 1):
            if _like(column.name, pattern):
                yield _column(table, column, place)


def _column(table: Table, column: TableColumn, place: int) -> tuple[Value, ...]:
    of = column.type
    number = jdbc_type(of)
    size, digits = _sizes(of)
    temporal = {91: 1, 92: 2, 93: 3}.get(number)
    text = of.length if types.is_text(of) or types.is_binary(of) else None
    return (
        None, table.schema, table.name, column.name, number, type_name(of), size, None, digits,
        10 if types.is_number(of) else None,
        int(column.nullable), column.remarks, system.default_text(column), 9 if temporal else number, temporal, text, place,
        "YES" if column.nullable else "NO", None, None, None, None, "YES" if column.identity else "NO",
        "YES" if column.generated else "NO",
    )  # fmt: skip


def _primary_keys(tables: Sequence[Table]) -> Iterator[tuple[Value, ...]]:
    for table in tables:
        for index in table.indexes:
            if index.kind == "P":
                named = sorted((table.by_id(column).name, place) for place, (column, _) in enumerate(index.columns, 1))
                for name, place in named:
                    yield None, table.schema, table.name, name, place, index.constraint


def _statistics(tables: Sequence[Table], *, unique: bool) -> Iterator[tuple[Value, ...]]:
    """Those of all indexes, or of unique ones alone."""
    for table in tables:
        yield None, table.schema, table.name, None, None, None, 0, None, None, None, None, None, None
        for index in sorted(table.indexes, key=lambda each: (each.kind == "D", each.name)):
            if unique and index.kind == "D":
                continue
            for place, (column, down) in enumerate(index.columns, 1):
                yield (None, table.schema, table.name, int(index.kind == "D"), index.schema, index.name, 3, place,
                       table.by_id(column).name, "D" if down else "A", None, None, None)  # fmt: skip
