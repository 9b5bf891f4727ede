"""How values stand in row images, and what a table map alone says of columns.

A table map gives type numbers and parameters; with binlog_row_metadata=FULL also names, labels, signs, character sets
and the key. From the latter a structure can be made without any DDL: everything but defaults, comments and the
spelling of types.

Source: MySQL source documentation, "Table_map_event" and "Rows_event".
"""

from __future__ import annotations

import codecs
from dataclasses import replace
from functools import cache
from typing import Final

from pymysql.charset import charset_by_id

from tailrace.connectors.mysql import jdbc
from tailrace.connectors.mysql.log import table_map as log
from tailrace.connectors.mysql.log.table_map import MapColumn, TableMap
from tailrace.connectors.mysql.plan import Wire
from tailrace.connectors.mysql.rows.charsets import CODECS, WIDE
from tailrace.errors import UnsupportedError
from tailrace.schema.tables import Column, Table, TableId

BINARY_COLLATION: Final = 63
LONG_VALUE: Final = 255  # a longer one has two bytes of length
BLOBS: Final = (log.TINY_BLOB, log.MEDIUM_BLOB, log.LONG_BLOB, log.BLOB)

_INTEGERS: Final = {log.TINY: 1, log.SHORT: 2, log.INT24: 3, log.LONG: 4, log.LONGLONG: 8}
_AS_THEY_ARE: Final = {
    log.FLOAT: Wire.FLOAT,
    log.DOUBLE: Wire.DOUBLE,
    log.NEWDECIMAL: Wire.DECIMAL,
    log.DATE: Wire.DATE,
    log.NEWDATE: Wire.DATE,
    log.TIME: Wire.OLD_TIME,
    log.DATETIME: Wire.OLD_DATETIME,
    log.TIMESTAMP: Wire.OLD_TIMESTAMP,
    log.TIME2: Wire.TIME2,
    log.DATETIME2: Wire.DATETIME2,
    log.TIMESTAMP2: Wire.TIMESTAMP2,
    log.YEAR: Wire.YEAR,
    log.ENUM: Wire.ENUM,
    log.SET: Wire.SET,
    log.BIT: Wire.BIT,
    log.JSON: Wire.JSON,
    log.GEOMETRY: Wire.GEOMETRY,
    log.VECTOR: Wire.VECTOR,
    **dict.fromkeys(BLOBS, Wire.STRING),
}


def wire_of(name: str, logged: MapColumn) -> tuple[Wire, int]:
    """How a column's values stand in row images, and the parameter of that.

    Raises:
        UnsupportedError: the log's type is not known.

    """
    if logged.type in _INTEGERS:
        return Wire.INT, _INTEGERS[logged.type]
    if logged.type in (log.VARCHAR, log.STRING):
        return Wire.STRING, 1 if logged.meta <= LONG_VALUE else 2
    if logged.type in _AS_THEY_ARE:
        return _AS_THEY_ARE[logged.type], logged.meta
    raise UnsupportedError(
        f"the column {name} has the type {logged.type} in the log, which is not known: "
        "exclude its table (table.exclude.list)"
    )


_TEXT_OR_BYTES: Final = {log.STRING, log.VARCHAR, *BLOBS}
_FITS: Final = {
    **dict.fromkeys(("TINYINT", "INT1", "BOOL", "BOOLEAN"), {log.TINY}),
    **dict.fromkeys(("SMALLINT", "INT2"), {log.SHORT}),
    **dict.fromkeys(("MEDIUMINT", "INT3", "MIDDLEINT"), {log.INT24}),
    **dict.fromkeys(("INT", "INTEGER", "INT4"), {log.LONG}),
    **dict.fromkeys(("BIGINT", "INT8", "SERIAL"), {log.LONGLONG}),
    **dict.fromkeys(("FLOAT", "FLOAT4", "REAL", "DOUBLE", "FLOAT8"), {log.FLOAT, log.DOUBLE}),
    **dict.fromkeys(("DECIMAL", "DEC", "FIXED", "NUMERIC"), {log.NEWDECIMAL}),
    "BIT": {log.BIT},
    "DATE": {log.DATE, log.NEWDATE},
    "TIME": {log.TIME, log.TIME2},
    "DATETIME": {log.DATETIME, log.DATETIME2},
    "TIMESTAMP": {log.TIMESTAMP, log.TIMESTAMP2},
    "YEAR": {log.YEAR},
    "ENUM": {log.ENUM},
    "SET": {log.SET},
    "JSON": {log.JSON},
    "VECTOR": {log.VECTOR},
    **dict.fromkeys(
        (
            "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
            "GEOMETRYCOLLECTION", "GEOMCOLLECTION",
        ),
        {log.GEOMETRY},
    ),
}  # fmt: skip


def misfits(table: Table, logged: TableMap) -> tuple[str, ...]:
    """Where a structure and a table map contradict each other, one sentence each; nothing where they agree."""
    if len(table.columns) != len(logged.columns):
        return (f"{table.id} has {len(table.columns)} columns and the log says {len(logged.columns)}",)
    pairs = zip(table.columns, logged.columns, strict=True)
    return tuple(misfit for column, each in pairs if (misfit := _misfit(table.id, column, each)))


def _misfit(table: TableId, column: Column, logged: MapColumn) -> str | None:
    if logged.name is not None and logged.name.lower() != column.name.lower():
        return f"the column {column.name} of {table} is called {logged.name} in the log"
    base = column.type_name.upper().partition("(")[0].split()[0]
    if logged.type not in _FITS.get(base, _TEXT_OR_BYTES):
        return f"the column {column.name} of {table} is {column.type_name}, and the log has the type {logged.type}"
    unsigned = "UNSIGNED" in column.type_name.upper()
    if logged.type in _INTEGERS and logged.unsigned not in (None, unsigned):
        return f"the column {column.name} of {table} is {column.type_name}, and the log says otherwise of its sign"
    if logged.labels is not None and len(logged.labels) != len(column.enum_values):
        return (
            f"the column {column.name} of {table} has {len(column.enum_values)} labels, and the log has "
            f"{len(logged.labels)}"
        )
    return None


def table_of_map(logged: TableMap, known: Table | None = None) -> Table:
    """The structure that a table map with full metadata tells.

    Columns that `known` has under the same name and with a type that fits are taken from there, with their defaults,
    comments and spelling.
    """
    table = TableId(logged.database, "", logged.table)
    columns = []
    for each in logged.columns:
        column = _column(each)
        before = known.column(column.name) if known else None
        fits = before is not None and _misfit(table, before, each) is None
        columns.append(replace(before, optional=each.nullable) if before is not None and fits else column)
    key = tuple(columns[index].name for index, _ in logged.primary_key or ())
    if known is None:
        return Table(table, tuple(columns), key)
    return replace(known, id=table, columns=tuple(columns), primary_key=key or _kept(known.primary_key, columns))


def _kept(key: tuple[str, ...], columns: list[Column]) -> tuple[str, ...]:
    """A unique key that stands in for a primary key, which the log does not tell, if its columns are still there."""
    names = {column.name.lower() for column in columns if not column.optional}
    return key if all(name.lower() in names for name in key) else ()


def decoded_labels(logged: MapColumn) -> tuple[str, ...]:
    """The labels of an ENUM or SET, from the log."""
    charset = charset_of_collation(logged.collation) or "utf8mb4"
    return tuple(label.decode(_codec(charset), "replace") for label in logged.labels or ())


@cache
def charset_of_collation(collation: int | None) -> str | None:
    """The name of the character set of a collation's number; None where that is not known."""
    if collation is None:
        return None
    try:
        return str(charset_by_id(collation).name)
    except KeyError:
        return None


_CODEC_NAMES: Final = {
    "utf8mb4": "utf-8", "utf8mb3": "utf-8", "utf8": "utf-8", "latin1": "cp1252", "latin2": "iso8859-2",
    "latin5": "iso8859-9", "latin7": "iso8859-13", "greek": "iso8859-7", "hebrew": "iso8859-8", "koi8r": "koi8-r",
    "koi8u": "koi8-u", "tis620": "tis-620", "macroman": "mac-roman", "macce": "mac-latin2", "binary": "latin-1",
}  # fmt: skip
_WIDE_CODECS: Final = {"ucs2": "utf-16-be", "utf16": "utf-16-be", "utf16le": "utf-16-le", "utf32": "utf-32-be"}


def _codec(charset: str) -> str:
    if charset in WIDE:
        return _WIDE_CODECS[charset]
    name = CODECS.get(charset) or _CODEC_NAMES.get(charset, charset)
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "latin-1"


_BYTES_A_CHARACTER: Final = {
    "utf8mb4": 4, "utf8mb3": 3, "utf8": 3, "ucs2": 2, "utf16": 4, "utf16le": 4, "utf32": 4, "gbk": 2, "gb2312": 2,
    "gb18030": 4, "big5": 2, "sjis": 2, "cp932": 2, "ujis": 3, "eucjpms": 3, "euckr": 2,
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
