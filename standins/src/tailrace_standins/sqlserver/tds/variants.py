"""Values of sql_variant: the type inside, its facets, the bytes.

Source: [MS-TDS] 2.2.5.5.4 sql_variant Values
"""

from __future__ import annotations

import struct
from typing import Final

from tailrace_standins.sqlserver.session import SqlError
from tailrace_standins.sqlserver.tds.collations import collation
from tailrace_standins.sqlserver.tds.cursor import Cursor
from tailrace_standins.sqlserver.tds.decoding import from_payload
from tailrace_standins.sqlserver.tds.encoding import payload
from tailrace_standins.sqlserver.tds.types import LONGEST
from tailrace_standins.sqlserver.values import SqlType, Value, Variant

_PLAIN: Final = {
    "uniqueidentifier": 0x24,
    "date": 0x28,
    "tinyint": 0x30,
    "bit": 0x32,
    "smallint": 0x34,
    "int": 0x38,
    "smalldatetime": 0x3A,
    "real": 0x3B,
    "money": 0x3C,
    "datetime": 0x3D,
    "float": 0x3E,
    "smallmoney": 0x7A,
    "bigint": 0x7F,
}
_SCALED: Final = {"time": 0x29, "datetime2": 0x2A, "datetimeoffset": 0x2B}
_NUMERIC: Final = {"decimal": 0x6A, "numeric": 0x6C}
_BINARY: Final = {"varbinary": 0xA5, "binary": 0xAD}
_CHARS: Final = {"varchar": 0xA7, "char": 0xAF, "nvarchar": 0xE7, "nchar": 0xEF}
_NAMES: Final = {code: name for table in (_PLAIN, _SCALED, _NUMERIC, _BINARY, _CHARS) for name, code in table.items()}


def variant(value: Variant) -> bytes:
    """A value after its type; raises `SqlError` 529 for types that a variant can't have."""
    type_ = value.type
    code, facets = _type_info(type_)
    return bytes([code, len(facets)]) + facets + payload(type_)(value.value)


def read_variant(data: bytes) -> Value:
    """A client's variant; None if it is empty."""
    if not data:
        return None
    cursor = Cursor(data)
    name = _NAMES.get(cursor.u8(), "")
    facets = Cursor(cursor.take(cursor.u8()))
    if name in _CHARS:
        raw = facets.take(5)
        most = facets.u16()
        value = from_payload(SqlType(name), cursor.take(cursor.left), raw)
        return Variant(SqlType(name, most // (2 if name.startswith("n") else 1)), value)
    type_ = SqlType(name)
    if name in _BINARY:
        type_ = SqlType(name, facets.u16())
    elif name in _NUMERIC:
        type_ = SqlType(name, precision=facets.u8(), scale=facets.u8())
    elif name in _SCALED:
        type_ = SqlType(name, scale=facets.u8())
    return Variant(type_, from_payload(type_, cursor.take(cursor.left)))


def _type_info(type_: SqlType) -> tuple[int, bytes]:
    name = type_.name
    if name in _PLAIN:
        return _PLAIN[name], b""
    if name in _SCALED:
        return _SCALED[name], bytes([type_.scale])
    if name in _NUMERIC:
        return _NUMERIC[name], bytes([type_.precision, type_.scale])
    if name in _BINARY:
        return _BINARY[name], struct.pack("<H", type_.length or LONGEST)
    if name in _CHARS:
        size = type_.length * (2 if name.startswith("n") else 1) or LONGEST
        return _CHARS[name], collation(type_.collation).data + struct.pack("<H", size)
    raise SqlError(529, f"Explicit conversion from data type {name} to sql_variant is not allowed.")
