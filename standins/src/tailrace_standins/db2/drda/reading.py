"""Parameters that clients send: SQLDTA, with a descriptor, data, and large objects in EXTDTA.

A client describes its parameters as it likes: an int for a bigint, text for a timestamp. The engine converts.

Source: DRDA V5 volume 1, "Data definition and exchange"; volume 3, "SQLDTA", "EXTDTA"
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from tailrace_standins.db2.drda.client_types import ClientTypes
from tailrace_standins.db2.drda.codepoints import Data
from tailrace_standins.db2.drda.cursor import Cursor, ProtocolError
from tailrace_standins.db2.drda.decimals import from_decfloat, packed_width, unpacked
from tailrace_standins.db2.drda.objects import objects
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import Value

_GROUP, _GROUP_GOES_ON = 0x76, 0x7F
_INTEGERS: Final = {0x02: 4, 0x04: 2, 0x16: 8}
_FLOATS: Final = {0x0A: "d", 0x0C: "f"}
_TEXTS: Final = {0x30, 0x3C}
_CHARACTERS: Final = _TEXTS | {0x32, 0x34, 0x3E, 0x40}
_VARIABLE_BYTES: Final = {0x28, 0x2A, 0xC2}
_GRAPHIC, _DECIMAL, _BLOB, _DBCLOB = 0x36, 0x0E, 0xC8, 0xCC
_GRAPHICS: Final = {_GRAPHIC, 0x38, 0x3A}
_WITH_MODE: Final = 9
_LARGE: Final = {_BLOB, 0xCA, 0xCE}
_NULL: Final = 0xFF
_BEHIND_MODE: Final = 0x02


def parameters(
    data: bytes, behind: Sequence[bytes], types: ClientTypes, binary: Sequence[bool] = (), rows: int = 1
) -> list[list[Value]]:
    """The values of SQLDTA, row by row.

    Args:
        data: of the SQLDTA object.
        behind: the data of EXTDTA objects after it, in their order.
        types: the client's.
        binary: which parameters are wanted as bytes, also if they come as text: some drivers call FOR BIT DATA text.
        rows: how many there are: more than one of a batch of inserts (NBRROW).

    Raises `ProtocolError` for bytes that are no such object, `SqlError` -804 for a type that can't be a parameter here.

    """
    parts = dict(objects(data))
    if Data.FDODSC not in parts or Data.FDODTA not in parts:
        raise ProtocolError("SQLDTA without descriptor or data")
    cursor = Cursor(parts[Data.FDODTA])
    described = list(zip(_types(parts[Data.FDODSC]), chain(binary, repeat(False)), strict=False))
    reader = _Reader(cursor, iter(behind), types)
    return [_row(cursor, reader, described) for _ in range(rows)]


def _row(cursor: Cursor, reader: _Reader, described: list[tuple[tuple[int, int], bool]]) -> list[Value]:
    if cursor.byte() == _NULL:
        return []
    return [reader.value(code, size, as_bytes=as_bytes) for (code, size), as_bytes in described]


def _types(descriptor: bytes) -> Iterator[tuple[int, int]]:
    cursor = Cursor(descriptor)
    while cursor.left >= 3:
        length, kind, _ = cursor.byte(), cursor.byte(), cursor.byte()
        body = Cursor(cursor.take(length - 3))
        if kind in {_GROUP, _GROUP_GOES_ON}:
            while body.left:
                yield body.byte(), body.big(2)


class _Reader:
    """Reads values one after the other."""

    def __init__(self, cursor: Cursor, behind: Iterator[bytes], types: ClientTypes) -> None:
        self._cursor = cursor
        self._behind = behind
        self._types = types

    def value(self, code: int, size: int, *, as_bytes: bool) -> Value:
        """The next value, of a type by its code and size."""
        if code & 1:
            indicator = self._cursor.byte()
            if indicator == _NULL:
                return None
            if indicator:  # extended indicators: a default, or a column to leave alone
                raise SqlError(-365, "22539", str(indicator - 256))
        kind = code & 0xFE
        if kind in _CHARACTERS or kind in _LARGE:
            data = self._large(kind, size) if kind in _LARGE else self._characters(kind, size)
            return data if as_bytes or kind == _BLOB else data.decode(self._types.text)
        if kind in _GRAPHICS:
            return self._cursor.take(2 * (size if kind == _GRAPHIC else self._cursor.big(2))).decode("utf-16-be")
        if kind == _DBCLOB:
            return self._large(kind, size).decode("utf-16-be")
        return self._plain(kind, size)

    def _plain(self, kind: int, size: int) -> Value:
        cursor, order = self._cursor, self._types.order
        if kind in _INTEGERS:
            return int.from_bytes(cursor.take(size), order, signed=True)
        if kind in _FLOATS:
            form = struct.Struct(("<" if order == "little" else ">") + _FLOATS[kind])
            return float(form.unpack(cursor.take(form.size))[0])
        if kind == _DECIMAL:
            return unpacked(cursor.take(packed_width(size >> 8)), size & 0xFF)
        if kind in _VARIABLE_BYTES:
            return cursor.take(cursor.big(2))
        if kind in _OTHERS:
            return _OTHERS[kind](cursor.take(size))
        raise SqlError(-804, "07002", f"{kind:#04x}")

    def _characters(self, kind: int, size: int) -> bytes:
        return self._cursor.take(size if kind in _TEXTS else self._cursor.big(2))

    def _large(self, kind: int, size: int) -> bytes:
        """A large object: a length in the row, of as many bytes as the descriptor says, the data behind the row.

        With nine bytes the first one is a mode: the data may be in the row then.
        """
        cursor, width = self._cursor, size & 0x7FFF
        mode = cursor.byte() if width == _WITH_MODE else _BEHIND_MODE
        length = cursor.big(min(width, 8))
        if mode != _BEHIND_MODE:
            return cursor.take(length * (2 if kind == _DBCLOB else 1))
        if not length and width:
            return b""
        data = next(self._behind, None)
        if data is None:
            raise ProtocolError("a large object that does not come")
        return data


def _timestamp(data: bytes) -> str:
    told = data.decode("ascii").rstrip()
    return f"{told[:10]} {told[11:19].replace('.', ':')}{told[19:]}"


_OTHERS: Final[dict[int, Callable[[bytes], Value]]] = {
    0x20: lambda data: data.decode("ascii"),
    0x22: lambda data: data.decode("ascii").replace(".", ":"),
    0x24: _timestamp,
    0x26: bytes,
    0xBA: from_decfloat,
    0xBE: any,
    0xC0: bytes,
}
