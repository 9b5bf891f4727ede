"""Parses a message from start to end."""

from __future__ import annotations

import struct
from typing import Final

from tailrace_standins.sqlserver.tds.packets import ProtocolError

_U16: Final = struct.Struct("<H")
_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")


class Cursor:
    """A position in a message; each read raises `ProtocolError` if the message is too short."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    @property
    def left(self) -> int:
        """The number of bytes left."""
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        """The next bytes."""
        end = self.at + count
        if end > len(self.data):
            raise ProtocolError(f"a message of {len(self.data)} bytes ends where {count} more are to come at {self.at}")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def u8(self) -> int:
        """A byte."""
        return self.take(1)[0]

    def u16(self) -> int:
        """Two bytes; all numbers are little-endian."""
        return int(_U16.unpack(self.take(2))[0])

    def u32(self) -> int:
        """Four bytes."""
        return int(_U32.unpack(self.take(4))[0])

    def u64(self) -> int:
        """Eight bytes."""
        return int(_U64.unpack(self.take(8))[0])

    def text(self, characters: int) -> str:
        """UTF-16 text of that many code units."""
        return decoded(self.take(2 * characters))

    def short_text(self) -> str:
        """B_VARCHAR: text after its length in one byte."""
        return self.text(self.u8())


def decoded(data: bytes) -> str:
    """A client's UTF-16 as text; lone surrogates are kept, as in SQL Server's nvarchar."""
    return data.decode("utf-16-le", "surrogatepass")
