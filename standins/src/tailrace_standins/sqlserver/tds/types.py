"""T-SQL's types on the wire (TYPE_INFO), and how their values are framed.

NOT NULL columns, too, are sent with the nullable form of their type, which clients accept.

Source: [MS-TDS] 2.2.5.4 Data Type Definitions, 2.2.5.6 Type Info Rule Definition
"""

from __future__ import annotations

import struct
from enum import Enum
from functools import cache
from typing import Final

from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.tds.collations import collation
from tailrace_standins.sqlserver.values import MAX, SqlType

LONGEST: Final = 8000
"""The maximum bytes of a value whose type is not (max)."""
_MAX_LENGTH: Final = 0xFFFF
_LARGE_OBJECT: Final = 0x7FFFFFFF
_VARIANT_LENGTH: Final = 8009
_USER_TYPES: Final = {"timestamp": 80, "sysname": 256}


class Framing(Enum):
    """The framing before a value."""

    BYTE = "length in a byte, 0 for NULL"
    SHORT = "length in two bytes, 0xFFFF for NULL"
    CHUNKS = "partially length-prefixed: length in eight bytes, chunks, an empty chunk"
    POINTER = "a text pointer of 16 bytes, a timestamp of 8, length in four"
    VARIANT = "length in four bytes, 0 for NULL, then the type inside"


_FIXED: Final = {
    "tinyint": b"\x26\x01",
    "smallint": b"\x26\x02",
    "int": b"\x26\x04",
    "bigint": b"\x26\x08",
    "bit": b"\x68\x01",
    "real": b"\x6d\x04",
    "float": b"\x6d\x08",
    "smallmoney": b"\x6e\x04",
    "money": b"\x6e\x08",
    "smalldatetime": b"\x6f\x04",
    "datetime": b"\x6f\x08",
    "date": b"\x28",
    "uniqueidentifier": b"\x24\x10",
}
_SCALED: Final = {"time": 0x29, "datetime2": 0x2A, "datetimeoffset": 0x2B}
_NUMERIC: Final = {"decimal": 0x6A, "numeric": 0x6C}
_BINARY: Final = {"varbinary": 0xA5, "binary": 0xAD}
_CHARS: Final = {"varchar": 0xA7, "char": 0xAF, "nvarchar": 0xE7, "nchar": 0xEF}
_OTHERS: Final = {
    "timestamp": b"\xad\x08\x00",
    "xml": b"\xf1\x00",
    "sql_variant": struct.pack("<BI", 0x62, _VARIANT_LENGTH),
}
_OLD: Final = {"text": 0x23, "ntext": 0x63, "image": 0x22}


@cache
def type_info(type_: SqlType) -> bytes:
    """TYPE_INFO of a column or a returned value; raises `SqlError` 243 for a type that does not exist."""
    name = type_.name
    if name in _FIXED:
        return _FIXED[name]
    if name in _SCALED:
        return bytes([_SCALED[name], type_.scale])
    if name in _NUMERIC:
        return bytes([_NUMERIC[name], decimal_width(type_.precision), type_.precision, type_.scale])
    if name in _BINARY:
        return struct.pack("<BH", _BINARY[name], _declared(type_, 1))
    if name in _CHARS:
        size = _declared(type_, 2 if name.startswith("n") else 1)
        return struct.pack("<BH", _CHARS[name], size) + collation(type_.collation).data
    if name in _OLD:
        told = struct.pack("<BI", _OLD[name], _LARGE_OBJECT)
        return told if name == "image" else told + collation(type_.collation).data
    if name == "sysname":
        return type_info(SqlType("nvarchar", 128, collation=type_.collation))
    if name in _OTHERS:
        return _OTHERS[name]
    raise SqlError(243, f"Type {name} is not a defined system type.")


def user_type(type_: SqlType) -> int:
    """UserType, which distinguishes rowversion from binary(8)."""
    return _USER_TYPES.get(type_.name, 0)


@cache
def framing(type_: SqlType) -> Framing:
    """How values of the type are framed."""
    name = type_.name
    if name == "sql_variant":
        return Framing.VARIANT
    if name in _OLD:
        return Framing.POINTER
    if name == "xml" or (type_.length == MAX and (name in _BINARY or name in _CHARS)):
        return Framing.CHUNKS
    if name in _BINARY or name in _CHARS or name in {"sysname", "timestamp"}:
        return Framing.SHORT
    return Framing.BYTE


def decimal_width(precision: int) -> int:
    """The bytes of a decimal: one for the sign, and a number of 4, 8, 12 or 16."""
    return 17 if precision > 28 else 13 if precision > 19 else 9 if precision > 9 else 5


def _declared(type_: SqlType, unit: int) -> int:
    """The maximum bytes; if the engine does not know the length (0), the maximum of the type."""
    return _MAX_LENGTH if type_.length == MAX else min(type_.length * unit, LONGEST) or LONGEST
