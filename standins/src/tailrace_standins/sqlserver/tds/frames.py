"""Frames values: the length before a value, or NULL, as its type requires.

Source: [MS-TDS] 2.2.5.2.3 Data Type Dependent Data Streams
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Final

from tailrace_standins.sqlserver.tds.encoding import Encode, payload
from tailrace_standins.sqlserver.tds.types import Framing, framing
from tailrace_standins.sqlserver.tds.variants import variant
from tailrace_standins.sqlserver.values import SqlType

_NULLS: Final = {
    Framing.BYTE: b"\0",
    Framing.SHORT: b"\xff\xff",
    Framing.CHUNKS: b"\xff" * 8,
    Framing.POINTER: b"\0",
    Framing.VARIANT: b"\0\0\0\0",
}
_POINTER: Final = b"\x10" + b"p" * 16 + b"\0" * 8


def null(type_: SqlType) -> bytes:
    """The bytes of NULL in a type."""
    return _NULLS[framing(type_)]


@cache
def framed(type_: SqlType) -> Encode:
    """The function that encodes a value, not None, with its framing."""
    inner = payload(type_) if type_.name != "sql_variant" else variant
    frames: dict[Framing, Callable[[bytes], bytes]] = {
        Framing.BYTE: lambda data: bytes((len(data),)) + data,
        Framing.SHORT: lambda data: len(data).to_bytes(2, "little") + data,
        Framing.CHUNKS: chunks,
        Framing.POINTER: lambda data: _POINTER + len(data).to_bytes(4, "little") + data,
        Framing.VARIANT: lambda data: len(data).to_bytes(4, "little") + data,
    }
    frame = frames[framing(type_)]
    return lambda value: frame(inner(value))


def chunks(data: bytes) -> bytes:
    """Partially length-prefixed bytes (PLP), in one chunk."""
    size = len(data)
    if not size:
        return b"\0" * 12
    return struct.pack("<QI", size, size) + data + b"\0\0\0\0"
