"""Parameters of calls: TYPE_INFO and value, as a client sends them.

Source: [MS-TDS] 2.2.6.6 RPC Request, 2.2.5.4 Data Type Definitions
"""

from __future__ import annotations

from typing import Final

from tailrace_standins.sqlserver.session import Parameter, SqlError
from tailrace_standins.sqlserver.tds.collations import collation, encoding_of
from tailrace_standins.sqlserver.tds.cursor import Cursor, decoded
from tailrace_standins.sqlserver.tds.decoding import from_payload
from tailrace_standins.sqlserver.tds.variants import read_variant
from tailrace_standins.sqlserver.values import DEFAULT_COLLATION, MAX, SqlType, Value

_OUTPUT, _DEFAULT = 0x01, 0x02
_NULL_SHORT: Final = 0xFFFF
_NULL_LONG: Final = 0xFFFFFFFF
_NULL_CHUNKS: Final = 0xFFFFFFFFFFFFFFFF
_TABLE, _CLR, _XML, _VARIANT = 0xF3, 0xF0, 0xF1, 0x62
_FIXED: Final = {
    0x30: ("tinyint", 1),
    0x32: ("bit", 1),
    0x34: ("smallint", 2),
    0x38: ("int", 4),
    0x3A: ("smalldatetime", 4),
    0x3B: ("real", 4),
    0x3C: ("money", 8),
    0x3D: ("datetime", 8),
    0x3E: ("float", 8),
    0x7A: ("smallmoney", 4),
    0x7F: ("bigint", 8),
}
_SIZED: Final = {
    0x26: {1: "tinyint", 2: "smallint", 4: "int", 8: "bigint"},
    0x68: {1: "bit"},
    0x6D: {4: "real", 8: "float"},
    0x6E: {4: "smallmoney", 8: "money"},
    0x6F: {4: "smalldatetime", 8: "datetime"},
    0x24: {16: "uniqueidentifier"},
}
_SCALED: Final = {0x29: "time", 0x2A: "datetime2", 0x2B: "datetimeoffset"}
_NUMERIC: Final = {0x6A: "decimal", 0x6C: "numeric"}
_STRINGS: Final = {
    0xA5: "varbinary",
    0xAD: "binary",
    0xA7: "varchar",
    0xAF: "char",
    0xE7: "nvarchar",
    0xEF: "nchar",
}
_OLD: Final = {0x22: "image", 0x23: "text", 0x63: "ntext"}


def read_parameter(cursor: Cursor, number: int) -> Parameter:
    """The next parameter of a call, number `number` from 1; raises `SqlError` 8009 for a type that is not allowed."""
    name = cursor.short_text()
    status = cursor.u8()
    try:
        type_, value = read_value(cursor)
    except KeyError as code:
        raise SqlError(
            8009,
            "The incoming tabular data stream (TDS) remote procedure call (RPC) protocol stream is incorrect. "
            f'Parameter {number} ("{name}"): Data type 0x{code.args[0]:02X} is unknown.',
        ) from None
    return Parameter(name, type_, value, bool(status & _OUTPUT), bool(status & _DEFAULT))


def read_value(cursor: Cursor) -> tuple[SqlType, Value]:
    """Read TYPE_INFO and the value after it; raises `KeyError` with the number of an unknown type."""
    code = cursor.u8()
    if code in _FIXED:
        name, size = _FIXED[code]
        return SqlType(name), from_payload(SqlType(name), cursor.take(size))
    if code in _SIZED:
        type_ = SqlType(_SIZED[code][cursor.u8()])
        return _with_value(type_, cursor.take(cursor.u8()))
    if code == 0x28:
        return _with_value(SqlType("date"), cursor.take(cursor.u8()))
    if code in _SCALED:
        return _with_value(SqlType(_SCALED[code], scale=cursor.u8()), cursor.take(cursor.u8()))
    if code in _NUMERIC:
        cursor.u8()
        type_ = SqlType(_NUMERIC[code], precision=cursor.u8(), scale=cursor.u8())
        return _with_value(type_, cursor.take(cursor.u8()))
    if code in _STRINGS:
        return _string(cursor, _STRINGS[code])
    if code in _OLD:
        return _old(cursor, _OLD[code])
    if code == _XML:
        return SqlType("xml"), _xml(cursor)
    if code == _VARIANT:
        cursor.u32()
        return SqlType("sql_variant"), read_variant(cursor.take(cursor.u32()))
    if code in {_TABLE, _CLR}:
        what = "table-valued parameters" if code == _TABLE else "parameters of CLR types"
        raise SqlError(50000, f"The stand-in does not take {what}.")
    raise KeyError(code)


def _with_value(type_: SqlType, data: bytes) -> tuple[SqlType, Value]:
    """The value; zero bytes mean NULL in types that have no empty value."""
    return type_, from_payload(type_, data) if data else None


def _string(cursor: Cursor, name: str) -> tuple[SqlType, Value]:
    most = cursor.u16()
    raw = cursor.take(5) if "char" in name else b""
    unit = 2 if name.startswith("n") else 1
    type_ = SqlType(name, MAX if most == _NULL_SHORT else most // unit, collation=_collation_name(raw))
    data = _chunks(cursor) if most == _NULL_SHORT else _short(cursor)
    return type_, None if data is None else from_payload(type_, data, raw)


def _old(cursor: Cursor, name: str) -> tuple[SqlType, Value]:
    cursor.u32()
    raw = b"" if name == "image" else cursor.take(5)
    type_ = SqlType(name, collation=_collation_name(raw))
    size = cursor.u32()
    return type_, None if size == _NULL_LONG else from_payload(type_, cursor.take(size), raw)


def _xml(cursor: Cursor) -> Value:
    if cursor.u8():
        raise SqlError(50000, "The stand-in does not take xml parameters with a schema collection.")
    data = _chunks(cursor)
    return None if data is None else decoded(data).removeprefix("\ufeff")


def _short(cursor: Cursor) -> bytes | None:
    size = cursor.u16()
    return None if size == _NULL_SHORT else cursor.take(size)


def _chunks(cursor: Cursor) -> bytes | None:
    """Partially length-prefixed bytes (PLP); the total length, which may be unknown, is not needed."""
    if cursor.u64() == _NULL_CHUNKS:
        return None
    parts = []
    while size := cursor.u32():
        parts.append(cursor.take(size))
    return b"".join(parts)


def _collation_name(raw: bytes) -> str | None:
    """The collation's name for the engine: the server's or that for UTF-8; others can't be derived from the bytes."""
    if not raw:
        return None
    same = encoding_of(raw) == collation(None).encoding
    return DEFAULT_COLLATION if same else "Latin1_General_100_CI_AS_SC_UTF8" if encoding_of(raw) == "utf-8" else None
