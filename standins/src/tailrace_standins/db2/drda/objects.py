"""DDM objects: length, codepoint, data.

The length of two bytes counts itself and the codepoint. From 32,768 on its high bit is set, and the real length, of the data
alone, follows the codepoint in as many bytes as the rest of the field says.

Source: DRDA V5 volume 3, "DSS" (layer B: objects; extended total length)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from tailrace_standins.db2.drda.cursor import Cursor, ProtocolError

_LONGEST: Final = 0x7FFF
_EXTENDED: Final = 0x8000
_HEADER: Final = 4


def made(point: int, *parts: bytes) -> bytes:
    """An object."""
    data = b"".join(parts)
    if len(data) + _HEADER <= _LONGEST:
        return struct.pack(">HH", len(data) + _HEADER, point) + data
    return struct.pack(">HHI", _EXTENDED + 8, point, len(data)) + data


def objects(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects, one after the other, as codepoint and data; raises `ProtocolError` if the lengths don't fit."""
    cursor = Cursor(data)
    while cursor.left:
        length, point = cursor.big(2), cursor.big(2)
        if not length & _EXTENDED:
            if length < _HEADER:
                raise ProtocolError(f"an object {point:#06x} with length {length}")
            yield point, cursor.take(length - _HEADER)
        elif size := (length & _LONGEST) - _HEADER:
            yield point, cursor.take(cursor.big(size))
        else:  # streamed: its end is that of its segment
            yield point, cursor.take(cursor.left)
