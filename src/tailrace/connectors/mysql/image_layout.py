"""How values are stored in row images, according to a table map.

A table map gives each column a type number and its parameter, and character columns the number of a
collation.

Source: MySQL source documentation, "Table_map_event" and "Rows_event".
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Final

from pymysql.charset import charset_by_id

from tailrace.connectors.mysql.log import table_map as log
from tailrace.connectors.mysql.log.table_map import MapColumn
from tailrace.connectors.mysql.plan import Storage
from tailrace.connectors.mysql.rows.charsets import CODECS, WIDE
from tailrace.errors import UnsupportedError

LONG_VALUE: Final = 255  # a longer one has two bytes of length
BLOBS: Final = (log.TINY_BLOB, log.MEDIUM_BLOB, log.LONG_BLOB, log.BLOB)

INTEGERS: Final = {log.TINY: 1, log.SHORT: 2, log.INT24: 3, log.LONG: 4, log.LONGLONG: 8}
_AS_THEY_ARE: Final = {
    log.FLOAT: Storage.FLOAT,
    log.DOUBLE: Storage.DOUBLE,
    log.NEWDECIMAL: Storage.DECIMAL,
    log.DATE: Storage.DATE,
    log.NEWDATE: Storage.DATE,
    log.TIME: Storage.OLD_TIME,
    log.DATETIME: Storage.OLD_DATETIME,
    log.TIMESTAMP: Storage.OLD_TIMESTAMP,
    log.TIME2: Storage.TIME2,
    log.DATETIME2: Storage.DATETIME2,
    log.TIMESTAMP2: Storage.TIMESTAMP2,
    log.YEAR: Storage.YEAR,
    log.ENUM: Storage.ENUM,
    log.SET: Storage.SET,
    log.BIT: Storage.BIT,
    log.JSON: Storage.JSON,
    log.GEOMETRY: Storage.GEOMETRY,
    log.VECTOR: Storage.VECTOR,
    **dict.fromkeys(BLOBS, Storage.STRING),
}


def storage_of(name: str, logged: MapColumn) -> tuple[Storage, int]:
    """How a column's values are stored in row images, with the parameter.

    Raises:
        UnsupportedError: the log's type is not known.

    """
    if logged.type in INTEGERS:
        return Storage.INT, INTEGERS[logged.type]
    if logged.type in (log.VARCHAR, log.STRING):
        return Storage.STRING, 1 if logged.meta <= LONG_VALUE else 2
    if logged.type in _AS_THEY_ARE:
        return _AS_THEY_ARE[logged.type], logged.meta
    raise UnsupportedError(
        f"the column {name} has the type {logged.type} in the log, which is not known: "
        "exclude its table (table.exclude.list)"
    )


def decoded_labels(logged: MapColumn) -> tuple[str, ...]:
    """The labels of an ENUM or SET, from the log."""
    charset = charset_of_collation(logged.collation) or "utf8mb4"
    return tuple(label.decode(_codec(charset), "replace") for label in logged.labels or ())


@cache
def charset_of_collation(collation: int | None) -> str | None:
    """The name of a collation's character set; None if the number is not known."""
    if collation is None:
        return None
    try:
        return str(charset_by_id(collation).name)
    except KeyError:
        return None


_CODEC_NAMES: Final = {
    "utf8mb4": "utf-8", "utf8mb3": "utf-8", "utf8": "utf-8", "latin1": "cp1252", "latin2": "iso8859-2",
    "latin5": "iso8859-9", "latin7": "iso8859-13", "greek": "iso8859-7", "hebrew": "iso8859-8",
    "koi8r": "koi8-r", "koi8u": "koi8-u", "tis620": "tis-620", "macroman": "mac-roman", "macce": "mac-latin2",
    "binary": "latin-1",
}  # fmt: skip
_WIDE_CODECS: Final = {
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
}


def _codec(charset: str) -> str:
    if charset in WIDE:
        return _WIDE_CODECS[charset]
    name = CODECS.get(charset) or _CODEC_NAMES.get(charset, charset)
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "latin-1"
