"""Db2's types on the wire: FD:OCA codes of rows and parameters, and the numbers of SQLDA.

Codes are those of NOT NULL; one more is the nullable form. Text is UTF-8 (mixed), graphic text UTF-16, highest byte first.

Sources: DRDA V5 volume 1, "Data definition and exchange" (environment descriptors, early data descriptors); IBM Db2
documentation, "SQLTYPE and SQLLEN"
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import Final

from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import SqlType

UTF8, UTF16 = 1208, 1200
LOB_LENGTH: Final = 0x8009
"""The length of a large object in a descriptor: a byte of mode and eight of length, its data by itself."""
LARGE: Final = frozenset({"clob", "blob", "dbclob", "xml"})


@dataclass(frozen=True, slots=True)
class Wire:
    """A type's numbers.

    Attributes:
        code: FD:OCA's, of NOT NULL.
        size: the two bytes after the code in descriptors.
        sqltype: SQLDA's, of NOT NULL.
        length: SQLDA's length: bytes, or characters of graphic types.
        ccsid: of text; 0 for what is none.
        precision: SQLDA's.
        scale: SQLDA's.

    """

    code: int
    size: int
    sqltype: int
    length: int
    ccsid: int = 0
    precision: int = 0
    scale: int = 0


_FIXED: Final = {
    "smallint": Wire(0x04, 2, 500, 2, precision=5),
    "integer": Wire(0x02, 4, 496, 4, precision=10),
    "bigint": Wire(0x16, 8, 492, 8, precision=19),
    "real": Wire(0x0C, 4, 480, 4, precision=7),
    "double": Wire(0x0A, 8, 480, 8, precision=15),
    "boolean": Wire(0xBE, 2, 2436, 2),
    "date": Wire(0x20, 10, 384, 10),
    "time": Wire(0x22, 8, 388, 8),
    "clob": Wire(0xCE, LOB_LENGTH, 408, 0, UTF8),
    "blob": Wire(0xC8, LOB_LENGTH, 404, 0),
    "dbclob": Wire(0xCC, LOB_LENGTH, 412, 0, UTF16),
    "xml": Wire(0xCE, LOB_LENGTH, 988, 0, UTF8),
}
_SIZED: Final = {
    "char": (0x3C, 452, UTF8),
    "varchar": (0x3E, 448, UTF8),
    "long varchar": (0x40, 456, UTF8),
    "graphic": (0x36, 468, UTF16),
    "vargraphic": (0x38, 464, UTF16),
    "long vargraphic": (0x3A, 472, UTF16),
    "binary": (0xC0, 912, 0),
    "varbinary": (0xC2, 908, 0),
}
_BIT_DATA: Final = {"char": (0x26, 452, 0), "varchar": (0x28, 448, 0), "long varchar": (0x2A, 456, 0)}


@cache
def wire(type_: SqlType) -> Wire:
    """The numbers of a type; raises `SqlError` -204 for a type that does not exist."""
    name, length = type_.name, type_.length
    if name in LARGE:
        fixed = _FIXED[name]
        return Wire(fixed.code, fixed.size, fixed.sqltype, length, fixed.ccsid)
    if name in _FIXED:
        return _FIXED[name]
    if name in _SIZED:
        code, sqltype, ccsid = (_BIT_DATA if type_.bit_data else _SIZED)[name]
        return Wire(code, length, sqltype, length, ccsid)
    if name == "decimal":
        both = type_.precision << 8 | type_.scale
        return Wire(0x0E, both, 484, both, 0, type_.precision, type_.scale)
    if name == "decfloat":
        width = 8 if type_.precision == 16 else 16
        return Wire(0xBA, width, 996, width, 0, type_.precision)
    if name == "timestamp":
        width = timestamp_width(type_.scale)
        return Wire(0x24, width, 392, width, 0, 0, type_.scale)
    raise SqlError(-204, "42704", name)


def triplet(type_: SqlType, *, nullable: bool) -> bytes:
    """The type in a descriptor of rows: code and size."""
    told = wire(type_)
    return struct.pack(">BH", told.code + nullable, told.size)


def timestamp_width(scale: int) -> int:
    """The characters of a timestamp on the wire."""
    return 20 + scale if scale else 19
