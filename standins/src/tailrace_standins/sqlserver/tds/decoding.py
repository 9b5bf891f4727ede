"""Decodes single values from their bytes, without framing.

Source: [MS-TDS] 2.2.5.5 Data Type Dependent Data Streams
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Final
from uuid import UUID

from tailrace_standins.sqlserver.tds.collations import encoding_of
from tailrace_standins.sqlserver.tds.cursor import decoded
from tailrace_standins.sqlserver.tds.temporal import (
    datetime_text,
    days_text,
    offset_text,
    smalldatetime_text,
    ticks_text,
    width,
)
from tailrace_standins.sqlserver.values import SqlType, Value

_EXACT: Final = Context(prec=60)


def from_payload(type_: SqlType, data: bytes, raw_collation: bytes = b"") -> Value:
    """The value, not NULL, of unframed bytes."""
    name, scale = type_.name, type_.scale
    if name in _READERS:
        return _READERS[name](data)
    if name in {"decimal", "numeric"}:
        number = Decimal(int.from_bytes(data[1:], "little"))
        return _EXACT.scaleb(number if data[0] else _EXACT.minus(number), -scale)
    if name in {"char", "varchar", "text"}:
        return data.decode(encoding_of(raw_collation), "replace")
    if name == "time":
        return ticks_text(int.from_bytes(data, "little"), scale)
    if name in {"datetime2", "datetimeoffset"}:
        size = width(scale)
        moment, day = int.from_bytes(data[:size], "little"), int.from_bytes(data[size : size + 3], "little")
        if name == "datetime2":
            return f"{days_text(day)} {ticks_text(moment, scale)}"
        return offset_text(moment, day, int.from_bytes(data[size + 3 :], "little", signed=True), scale)
    return data


def _money(data: bytes) -> Decimal:
    high, low = struct.unpack("<iI", data)
    return Decimal((high << 32) | low).scaleb(-4, _EXACT)


_READERS: Final[dict[str, Callable[[bytes], Value]]] = {
    "bit": lambda data: data[0],
    "tinyint": lambda data: data[0],
    "smallint": lambda data: int.from_bytes(data, "little", signed=True),
    "int": lambda data: int.from_bytes(data, "little", signed=True),
    "bigint": lambda data: int.from_bytes(data, "little", signed=True),
    "real": lambda data: float(struct.unpack("<f", data)[0]),
    "float": lambda data: float(struct.unpack("<d", data)[0]),
    "money": _money,
    "smallmoney": lambda data: Decimal(int.from_bytes(data, "little", signed=True)).scaleb(-4, _EXACT),
    "smalldatetime": lambda data: smalldatetime_text(*struct.unpack("<HH", data)),
    "datetime": lambda data: datetime_text(*struct.unpack("<iI", data)),
    "date": lambda data: days_text(int.from_bytes(data, "little")),
    "uniqueidentifier": lambda data: UUID(bytes_le=data),
    "nchar": decoded,
    "nvarchar": decoded,
    "ntext": decoded,
    "sysname": decoded,
}
