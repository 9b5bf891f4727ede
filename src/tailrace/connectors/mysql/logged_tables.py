"""Structures and table maps: whether they agree, and the structure that a table map alone gives.

With binlog_row_metadata=FULL a table map has names, labels, signs, character sets and the key of a table's
columns: a structure can be made from it without any DDL, except for defaults, comments and the spelling of
types.

Source: MySQL source documentation, "Table_map_event"; MySQL Reference Manual, "Data Type Storage
Requirements".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tailrace.connectors.mysql.ddl.editor import UNIQUE
from tailrace.connectors.mysql.image_layout import BLOBS, INTEGERS, charset_of_collation, decoded_labels
from tailrace.connectors.mysql.log import table_map as log
from tailrace.connectors.mysql.log.table_map import MapColumn, TableMap
from tailrace.connectors.shared import jdbc
from tailrace.schema.tables import Column, Table, TableId

BINARY_COLLATION: Final = 63

_DECODED_EXACTLY: Final = {"utf8mb4", "utf8mb3", "utf8", "ascii", "latin1", "ucs2", "utf16", "utf16le", "utf32"}
_REPLACED: Final = "\ufffd"  # in a label that Python's codec has no character for
_TEXT_OR_BYTES: Final = (log.STRING, log.VARCHAR, *BLOBS)
_FITS: Final = {
    **dict.fromkeys(("TINYINT", "INT1", "BOOL", "BOOLEAN"), (log.TINY,)),
    **dict.fromkeys(("SMALLINT", "INT2"), (log.SHORT,)),
    **dict.fromkeys(("MEDIUMINT", "INT3", "MIDDLEINT"), (log.INT24,)),
    **dict.fromkeys(("INT", "INTEGER", "INT4"), (log.LONG,)),
    **dict.fromkeys(("BIGINT", "INT8", "SERIAL"), (log.LONGLONG,)),
    **dict.fromkeys(("FLOAT", "FLOAT4", "REAL", "DOUBLE", "FLOAT8"), (log.FLOAT, log.DOUBLE)),
    **dict.fromkeys(("DECIMAL", "DEC", "FIXED", "NUMERIC"), (log.NEWDECIMAL,)),
    "BIT": (log.BIT,),
    "DATE": (log.DATE, log.NEWDATE),
    "TIME": (log.TIME, log.TIME2),
    "DATETIME": (log.DATETIME, log.DATETIME2),
    "TIMESTAMP": (log.TIMESTAMP, log.TIMESTAMP2),
    "YEAR": (log.YEAR,),
    "ENUM": (log.ENUM,),
    "SET": (log.SET,),
    "JSON": (log.JSON,),
    "VECTOR": (log.VECTOR,),
    **dict.fromkeys(
        (
            "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
            "GEOMETRYCOLLECTION", "GEOMCOLLECTION",
        ),
        (log.GEOMETRY,),
    ),
}  # fmt: skip


def misfits(table: Table, logged: TableMap) -> tuple[str, ...]:
    """Where a structure and a table map contradict each other, one sentence each; empty if they agree."""
    if len(table.columns) != len(logged.columns):
        return (f"{table.id} has {len(table.columns)} columns and the log says {len(logged.columns)}",)
    pairs = list(zip(table.columns, logged.columns, strict=True))
    found = (misfit(table.id, *pair) for misfit in (_misfit_of_type, _misfit_of_labels) for pair in pairs)
    return tuple(filter(None, found)) or tuple(filter(None, [_misfit_of_key(table, logged)]))


def misfits_of_nulls(table: Table, logged: TableMap) -> tuple[str, ...]:
    """The columns that may hold a NULL by only one of the two; rows can be read all the same."""
    pairs = zip(table.columns, logged.columns, strict=True)
    return tuple(column.name for column, each in pairs if column.optional != each.nullable)


def _misfit_of_type(table: TableId, column: Column, logged: MapColumn) -> str | None:
    if logged.name is not None and logged.name.lower() != column.name.lower():
        return f"the column {column.name} of {table} is called {logged.name} in the log"
    name = column.type_name.upper()
    base = name.partition("(")[0].split()[0]
    contradiction = None
    if logged.type not in _FITS.get(base, _TEXT_OR_BYTES):
        contradiction = f"and the log has the type {logged.type}"
    elif logged.type in INTEGERS and logged.unsigned not in (None, "UNSIGNED" in name):
        contradiction = "and the log says otherwise of its sign"
    return contradiction and f"the column {column.name} of {table} is {column.type_name}, {contradiction}"


def _misfit_of_labels(table: TableId, column: Column, logged: MapColumn) -> str | None:
    if logged.labels is None:
        return None
    what = f"the column {column.name} of {table} is {column.type_name}"
    if len(logged.labels) != len(column.enum_values):
        return f"{what}, of {len(column.enum_values)} labels, and the log has {len(logged.labels)}"
    pairs = zip(column.enum_values, decoded_labels(logged), strict=True)
    is_exact = charset_of_collation(logged.collation) in _DECODED_EXACTLY
    others = [(mine, told) for mine, told in pairs if is_exact and told != mine and _REPLACED not in told]
    return f"{what}, with the label {others[0][0]!r} where the log has {others[0][1]!r}" if others else None


def _misfit_of_key(table: Table, logged: TableMap) -> str | None:
    """Only a primary key is in the log: without one in it, the structure's may be a unique key."""
    told = [table.columns[index].name for index, _ in logged.primary_key or ()]
    if not told or [name.lower() for name in table.primary_key] == [name.lower() for name in told]:
        return None
    return f"the key of {table.id} is {', '.join(table.primary_key) or 'none'}, and the log's is {', '.join(told)}"


def table_of_map(logged: TableMap, known: Table | None = None) -> Table:
    """The structure of a table map with full metadata.

    Columns that `known` has with the same name and a matching type are taken from there, with their
    defaults, comments and spelling.
    """
    table = TableId(logged.database, "", logged.table)
    columns = [_column_of_map(table, each, known) for each in logged.columns]
    key = tuple(columns[index].name for index, _ in logged.primary_key or ())
    if known is None:
        return Table(table, tuple(columns), key)
    if not key:
        return replace(known, id=table, columns=tuple(columns), primary_key=_kept(known.primary_key, columns))
    attributes = tuple(each for each in known.attributes if each != UNIQUE)
    return replace(known, id=table, columns=tuple(columns), primary_key=key, attributes=attributes)


def _column_of_map(table: TableId, logged: MapColumn, known: Table | None) -> Column:
    column = _column(logged)
    before = known.column(column.name) if known else None
    if before is None or _misfit_of_type(table, before, logged):
        return column
    if _misfit_of_labels(table, before, logged):
        before = replace(before, enum_values=column.enum_values, length=column.length)
    return replace(before, optional=logged.nullable)


def _kept(key: tuple[str, ...], columns: list[Column]) -> tuple[str, ...]:
    """A unique key instead of a primary key, which the log does not have, if its columns still exist."""
    names = {column.name.lower() for column in columns if not column.optional}
    return key if all(name.lower() in names for name in key) else ()


_BYTES_A_CHARACTER: Final = {
    "utf8mb4": 4, "utf8mb3": 3, "utf8": 3, "ucs2": 2, "utf16": 4, "utf16le": 4, "utf32": 4, "gbk": 2,
    "gb2312": 2, "gb18030": 4, "big5": 2, "sjis": 2, "cp932": 2, "ujis": 3, "eucjpms": 3, "euckr": 2,
}  # fmt: skip
_INTEGER_NAMES: Final = {
    log.TINY: ("TINYINT", jdbc.SMALLINT),
    log.SHORT: ("SMALLINT", jdbc.SMALLINT),
    log.INT24: ("MEDIUMINT", jdbc.INTEGER),
    log.LONG: ("INT", jdbc.INTEGER),
    log.LONGLONG: ("BIGINT", jdbc.BIGINT),
    log.FLOAT: ("FLOAT", jdbc.FLOAT),
    log.DOUBLE: ("DOUBLE", jdbc.DOUBLE),
    log.NEWDECIMAL: ("DECIMAL", jdbc.DECIMAL),
}
_MOMENT_NAMES: Final = {
    **dict.fromkeys((log.TIME, log.TIME2), ("TIME", jdbc.TIME)),
    **dict.fromkeys((log.DATETIME, log.DATETIME2), ("DATETIME", jdbc.TIMESTAMP)),
    **dict.fromkeys((log.TIMESTAMP, log.TIMESTAMP2), ("TIMESTAMP", jdbc.TIMESTAMP_WITH_TIMEZONE)),
}
_OTHER_NAMES: Final = {
    **dict.fromkeys((log.DATE, log.NEWDATE), ("DATE", jdbc.DATE)),
    log.YEAR: ("YEAR", jdbc.INTEGER),
    log.JSON: ("JSON", jdbc.OTHER),
}
_GEOMETRIES: Final = (
    "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
    "GEOMETRYCOLLECTION",
)  # fmt: skip
_SIZES: Final = {1: "TINY", 2: "", 3: "MEDIUM", 4: "LONG"}


def _column(logged: MapColumn) -> Column:
    type_name, jdbc_type, length, scale = _type(logged)
    charset = None
    if jdbc_type in jdbc.TEXT_TYPES:
        charset = charset_of_collation(logged.collation)
    return Column(
        name=logged.name or "",
        type_name=type_name,
        type_expression=type_name,
        jdbc_type=jdbc_type,
        length=length,
        scale=scale,
        charset=charset,
        optional=logged.nullable,
        enum_values=decoded_labels(logged),
        visible=logged.visible is not False,
    )


def _type(logged: MapColumn) -> tuple[str, int, int | None, int | None]:
    """Name, `java.sql.Types` number, length and scale."""
    kind, meta = logged.type, logged.meta
    if kind in _INTEGER_NAMES:
        name, number = _INTEGER_NAMES[kind]
        size = (meta >> 8, meta & 0xFF) if kind == log.NEWDECIMAL else (None, None)
        return name + " UNSIGNED" * bool(logged.unsigned), number, *size
    if kind in _MOMENT_NAMES:
        return *_MOMENT_NAMES[kind], meta or None, None
    if kind in (log.ENUM, log.SET):
        labels = len(logged.labels or ())
        return ("ENUM", jdbc.CHAR, 1, None) if kind == log.ENUM else ("SET", jdbc.CHAR, 2 * labels - 1, None)
    if kind == log.BIT:
        return "BIT", jdbc.BIT, meta, None
    if kind == log.VECTOR:
        return "VECTOR", jdbc.OTHER, logged.dimensions, None
    if kind == log.GEOMETRY:
        return _GEOMETRIES[min(logged.geometry or 0, len(_GEOMETRIES) - 1)], jdbc.OTHER, None, None
    if kind in _OTHER_NAMES:
        return *_OTHER_NAMES[kind], None, None
    return _text_type(logged)


def _text_type(logged: MapColumn) -> tuple[str, int, int | None, int | None]:
    binary = logged.collation == BINARY_COLLATION
    if logged.type in BLOBS:
        size = _SIZES.get(logged.meta, "")
        return (f"{size}BLOB", jdbc.BLOB, None, None) if binary else (f"{size}TEXT", jdbc.VARCHAR, None, None)
    charset = charset_of_collation(logged.collation) or "utf8mb4"
    length = logged.meta // _BYTES_A_CHARACTER.get(charset, 1)
    if logged.type == log.STRING:
        return ("BINARY", jdbc.BINARY, length, None) if binary else ("CHAR", jdbc.CHAR, length, None)
    return ("VARBINARY", jdbc.VARBINARY, length, None) if binary else ("VARCHAR", jdbc.VARCHAR, length, None)
