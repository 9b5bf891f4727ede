"""Parameters that clients send: SQLDTA, with a descriptor, data, and large objects in EXTDTA.

A client describes its parameters as it likes: an int for a bigint, text for a timestamp. The engine converts.

Source: DRDA V5 volume 1, "Data definition and exchange"; volume 3, "SQLDTA", "EXTDTA"
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tailrace_standins.db2.drda.codepoints import Data
from tailrace_standins.db2.drda.cursor import Cursor, ProtocolError
from tailrace_standins.db2.drda.decimals import from_decfloat, packed_width, unpacked
from tailrace_standins.db2.drda.objects import objects
from tailrace_standins.db2.session import SqlError
from tailrace_standins.db2.values import Value

_GROUP, _GROUP_GOES_ON = 0x76, 0x7F
_INTEGERS: Final = {0x02: 4, 0x04: 2, 0x16: 8}
_FLOATS: Final = {0x0A: "<d", 0x0C: "<f"}
_TEXTS: Final = {0x30, 0x3C}
_VARIABLE_TEXTS: Final = {0x32, 0x34, 0x3E, 0x40}
_VARIABLE_BYTES: Final = {0x28, 0x2A, 0xC2}
_BYTES: Final = {0x26, 0xC0}
_VARIABLE_GRAPHIC: Final = {0x38, 0x3A}
_LARGE: Final = {0xC8, 0xCA, 0xCC, 0xCE}
_NULL: Final = 0xFF
_BEHIND_MODE: Final = 0x02


def parameters(data: bytes, behind: Sequence[bytes], text: str) -> list[Value]:
    """The values of SQLDTA.

    Args:
        data: of the SQLDTA object.
        behind: the data of EXTDTA objects after it, in their order.
        text: the encoding of text that is not graphic.

    Raises `ProtocolError` for bytes that are no such object, `SqlError` -804 for a type that can't be a parameter here.

    """
    parts = dict(objects(data))
    if Data.FDODSC not in parts or Data.FDODTA not in parts:
        raise ProtocolError("SQLDTA without descriptor or data")
    cursor = Cursor(parts[Data.FDODTA])
    if cursor.byte() == _NULL:
        return []
    following = iter(behind)
    return [_value(cursor, code, size, following, text) for code, size in _types(parts[Data.FDODSC])]


def _types(descriptor: bytes) -> Iterator[tuple[int, int]]:
    cursor = Cursor(descriptor)
    while cursor.left >= 3:
        length, kind, _ = cursor.byte(), cursor.byte(), cursor.byte()
        body = Cursor(cursor.take(length - 3))
        if kind in {_GROUP, _GROUP_GOES_ON}:
            while body.left:
                yield body.byte(), body.big(2)


def _value(cursor: Cursor, code: int, size: int, behind: Iterator[bytes], text: str) -> Value:
    if code & 1:
        indicator = cursor.byte()
        if indicator == _NULL:
            return None
        if indicator:  # extended indicators: a default, or a column to leave alone
            raise SqlError(-365, "22539", str(indicator - 256))
    kind = code & 0xFE
    if kind in _LARGE:
        return _large(cursor, kind, size, behind, text)
    if kind == 0x0E:
        return unpacked(cursor.take(packed_width(size >> 8)), size & 0xFF)
    if kind in _READERS:
        return _READERS[kind](cursor, size, text)
    raise SqlError(-804, "07002", f"{code:#04x}")


def _large(cursor: Cursor, kind: int, size: int, behind: Iterator[bytes], text: str) -> Value:
    """A large object: its length says how many bytes of length are in the row; the data is behind it unless the mode says in it."""
    width = size & 0x7FFF
    unit = 2 if kind == 0xCC else 1
    data: bytes | None = None
    if width == 9:
        mode, length = cursor.byte(), cursor.big(8)
        data = b"" if not length else None if mode == _BEHIND_MODE else cursor.take(length * unit)
    else:
        data = None if cursor.big(width) or width == 0 else b""
    if data is None:
        data = next(behind, None)
        if data is None:
            raise ProtocolError("a large object that does not come")
    if kind == 0xC8:
        return data
    return data.decode("utf-16-be" if unit == 2 else text)


def _integer(cursor: Cursor, size: int, _: str) -> Value:
    return int.from_bytes(cursor.take(size), "little", signed=True)


def _boolean(cursor: Cursor, size: int, _: str) -> Value:
    return bool(int.from_bytes(cursor.take(size), "little"))


def _float(form: str) -> Callable[[Cursor, int, str], Value]:
    reader = struct.Struct(form)
    return lambda cursor, _size, _text: float(reader.unpack(cursor.take(reader.size))[0])


def _time(cursor: Cursor, size: int, _: str) -> Value:
    return cursor.take(size).decode("ascii").replace(".", ":")


def _timestamp(cursor: Cursor, size: int, _: str) -> Value:
    told = cursor.take(size).decode("ascii").rstrip()
    return f"{told[:10]} {told[11:19].replace('.', ':')}{told[19:]}"


def _variable(cursor: Cursor, _size: int, _text: str) -> bytes:
    return cursor.take(cursor.big(2))


_READERS: Final[dict[int, Callable[[Cursor, int, str], Value]]] = {
    **dict.fromkeys(_INTEGERS, _integer),
    **{code: _float(form) for code, form in _FLOATS.items()},
    **{code: lambda cursor, size, text: cursor.take(size).decode(text) for code in _TEXTS},
    **{code: lambda cursor, size, text: _variable(cursor, size, text).decode(text) for code in _VARIABLE_TEXTS},
    **{code: lambda cursor, size, _: cursor.take(size) for code in _BYTES},
    **dict.fromkeys(_VARIABLE_BYTES, _variable),
    **{code: lambda cursor, _s, _t: cursor.take(2 * cursor.big(2)).decode("utf-16-be") for code in _VARIABLE_GRAPHIC},
    0x36: lambda cursor, size, _: cursor.take(2 * size).decode("utf-16-be"),
    0x20: lambda cursor, size, _: cursor.take(size).decode("ascii"),
    0x22: _time,
    0x24: _timestamp,
    0xBA: lambda cursor, size, _: from_decfloat(cursor.take(size)),
    0xBE: _boolean,
}
