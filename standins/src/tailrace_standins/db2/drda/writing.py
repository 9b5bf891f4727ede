"""Values of rows to bytes.

Numbers have their lowest byte first (TYPDEFNAM QTDSQLX86), lengths their highest. A column that may be NULL has an indicator
byte before its value. Large objects are in the row or behind it, in EXTDTA objects; the mode in their first byte tells.

Sources: DRDA V5 volume 1, "Data definition and exchange"; volume 3, "DYNDTAFMT", "SMLDTASZ", "EXTDTA"
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, Final, TypeAlias

from tailrace_standins.db2.drda.decimals import decfloat, packed
from tailrace_standins.db2.drda.types import LARGE, wire
from tailrace_standins.db2.session import Column
from tailrace_standins.db2.values import SqlType, Value

Writer: TypeAlias = Callable[[Any], bytes]
NULL: Final = b"\xff"
_PRESENT: Final = b"\x00"
_ROW: Final = b"\xff\x00"  # no SQLCA; the row is there
_IN_ROW, _BEHIND = b"\x01", b"\x02"


class Row:
    """Writes rows of some columns.

    Args:
        columns: of the result set.
        in_row: bytes up to which a large object is in the row; larger ones follow it.

    Attributes:
        behind: the large objects of the rows that were written, to be sent after them.
        has_large: whether there are columns of large objects.

    """

    def __init__(self, columns: Sequence[Column], *, in_row: int) -> None:
        self.behind: list[bytes] = []
        self._in_row = in_row
        self._writers = [self._writer(column.type) for column in columns]
        self._nullable = [column.nullable for column in columns]
        self._by_column = [_of_column(*each) for each in zip(self._writers, self._nullable, strict=True)]
        self.has_large = any(column.type.name in LARGE for column in columns)

    def columns(self, values: Sequence[Sequence[Any]], count: int) -> list[bytes]:
        """Rows, given column by column; none of them may be a large object."""
        parts = [write(each) for write, each in zip(self._by_column, values, strict=True)]
        return list(map(b"".join, zip(repeat(_ROW, count), *parts, strict=True)))

    def written(self, values: Sequence[Value]) -> bytes:
        """A row; raises `ValueError` or `TypeError` for a value that is none of its column's type."""
        parts = [_ROW]
        for value, writer, nullable in zip(values, self._writers, self._nullable, strict=True):
            if value is None:
                if not nullable:
                    raise ValueError("NULL in a column that is NOT NULL")
                parts.append(NULL)
            else:
                if nullable:
                    parts.append(_PRESENT)
                parts.append(writer(value))
        return b"".join(parts)

    def _writer(self, type_: SqlType) -> Writer:
        if type_.name in {"clob", "xml"}:
            return lambda value: self._large(encoded := value.encode(), len(encoded))
        if type_.name == "dbclob":
            return lambda value: self._large(encoded := value.encode("utf-16-be"), len(encoded) // 2)
        if type_.name == "blob":
            return lambda value: self._large(value, len(value))
        return writer(type_)

    def _large(self, data: bytes, length: int) -> bytes:
        told = struct.pack(">q", length)
        if 0 < len(data) <= self._in_row:
            return _IN_ROW + told + data
        if data:  # nothing follows for an empty one
            self.behind.append(data)
        return _BEHIND + told


def _of_column(write: Writer, nullable: bool) -> Callable[[Sequence[Any]], list[bytes]]:
    """Writes the values of a column, each with its indicator."""

    def nullable_ones(values: Sequence[Any]) -> list[bytes]:
        return [NULL if value is None else _PRESENT + write(value) for value in values]

    def others(values: Sequence[Any]) -> list[bytes]:
        if None in values:
            raise ValueError("NULL in a column that is NOT NULL")
        return list(map(write, values))

    return nullable_ones if nullable else others


def writer(type_: SqlType) -> Writer:
    """Writes values of a type that is no large object."""
    name = type_.name
    if name in _STRUCTS:
        return struct.Struct(_STRUCTS[name]).pack
    if name == "varbinary" or (type_.bit_data and name != "char"):
        return lambda value: _length(len(value)) + value
    if name in {"varchar", "long varchar"}:
        return _varchar
    if name in {"vargraphic", "long vargraphic"}:
        return _vargraphic
    return _fixed(type_)


def _fixed(type_: SqlType) -> Writer:
    name, length = type_.name, type_.length
    if name == "char" and not type_.bit_data:
        return lambda value: _padded(value.encode(), length, b" ")
    if name == "char":
        return lambda value: _padded(value, length, b" ")
    if name == "binary":
        return lambda value: _padded(value, length, b"\x00")
    if name == "graphic":
        return lambda value: _padded(value.encode("utf-16-be"), 2 * length, b"\x00 ")
    if name == "decimal":
        return lambda value: packed(value, type_.precision, type_.scale)
    if name == "decfloat":
        width = wire(type_).size
        return lambda value: decfloat(value, width)
    if name == "date":
        return lambda value: _exactly(value, 10)
    if name == "time":
        return lambda value: _exactly(value.replace(":", "."), 8)
    width = wire(type_).size  # of timestamp; raises for a type that does not exist
    return lambda value: _exactly(value.replace(" ", "-").replace(":", "."), width)


_STRUCTS: Final = {"smallint": "<h", "integer": "<i", "bigint": "<q", "real": "<f", "double": "<d", "boolean": "<h"}


_length: Final = struct.Struct(">H").pack


def _varchar(value: str) -> bytes:
    data = value.encode()
    return _length(len(data)) + data


def _vargraphic(value: str) -> bytes:
    data = value.encode("utf-16-be")
    return struct.pack(">H", len(data) // 2) + data


def _padded(data: bytes, length: int, filler: bytes) -> bytes:
    if len(data) > length:
        raise ValueError(f"{len(data)} bytes where {length} fit")
    return data + filler * ((length - len(data)) // len(filler))


def _exactly(text: str, width: int) -> bytes:
    if len(text) != width:
        raise ValueError(f"{text!r} where {width} characters are sent")
    return text.encode("ascii")
