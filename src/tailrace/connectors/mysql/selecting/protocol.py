"""Prepared statements on the wire: encodes commands and parses the server's answers. No I/O.

A statement is prepared (COM_STMT_PREPARE), run with parameters in binary form (COM_STMT_EXECUTE) and closed. An
answer is packets: each definition of a column is one, and so is each row.

Source: MySQL source documentation, "Prepared Statements" and "Column Definition".
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tailrace.connectors.mysql.log import table_map as types
from tailrace.connectors.mysql.log.wire import lenenc

Parameter: TypeAlias = int | float | str | bytes | None
"""A parameter's value: a text is utf8mb4, bytes have no character set."""

COM_STMT_PREPARE, COM_STMT_EXECUTE, COM_STMT_CLOSE = 0x16, 0x17, 0x19
OK, END, ERROR = 0x00, 0xFE, 0xFF
UNSIGNED_COLUMN: Final = 0x20
_UNSIGNED_PARAMETER: Final = 0x8000
_INT64: Final = 1 << 63


@dataclass(frozen=True, slots=True)
class Definition:
    """A column of a result, as the server describes it.

    Attributes:
        name: of the column.
        type: MySQL's type number.
        collation: number of the collation; 63 is binary.
        length: longest value in bytes; for a BIT the bits, for a DECIMAL the characters.
        decimals: digits after the point, or of a fraction of seconds.
        is_unsigned: of a number.

    """

    name: str
    type: int
    collation: int
    length: int
    decimals: int
    is_unsigned: bool


@dataclass(frozen=True, slots=True)
class Prepared:
    """The server's answer to a statement: its number, and how many columns and parameters it has."""

    number: int
    columns: int
    parameters: int


def prepared(packet: bytes) -> Prepared:
    """Parse the first packet of the answer to COM_STMT_PREPARE."""
    return Prepared(*struct.unpack_from("<IHH", packet, 1))


def definition(packet: bytes) -> Definition:
    """Parse a packet that describes a column."""
    o = 0
    texts = []
    for _ in range(6):  # catalog, schema, table, original table, name, original name
        length, o = lenenc(packet, o)
        texts.append(packet[o : o + length])
        o += length
    collation, length, type_, flags, decimals = struct.unpack_from("<HIBHB", packet, o + 1)
    name = texts[4].decode(errors="replace")
    return Definition(name, type_, collation, length, decimals, bool(flags & UNSIGNED_COLUMN))


def columns_of_result(packet: bytes) -> int:
    """Parse the first packet of the answer to COM_STMT_EXECUTE: the number of columns, 0 without rows."""
    return lenenc(packet, 0)[0]


def execution(number: int, parameters: Sequence[Parameter]) -> bytes:
    """The payload of COM_STMT_EXECUTE, without its command byte and without a cursor."""
    head = struct.pack("<IBI", number, 0, 1)
    if not parameters:
        return head
    nulls = sum(1 << i for i, value in enumerate(parameters) if value is None)
    bitmap = nulls.to_bytes((len(parameters) + 7) // 8, "little")
    bound = [_bound(value) for value in parameters]
    kinds = b"".join(struct.pack("<H", kind) for kind, _ in bound)
    return head + bitmap + b"\x01" + kinds + b"".join(value for _, value in bound)


def closing(number: int) -> bytes:
    """The payload of COM_STMT_CLOSE, without its command byte."""
    return struct.pack("<I", number)


def _bound(value: Parameter) -> tuple[int, bytes]:
    """Type (with the mark of an unsigned number) and bytes of a parameter."""
    if value is None:
        return types.NULL, b""
    if isinstance(value, float):
        return types.DOUBLE, struct.pack("<d", value)
    if isinstance(value, bytes):
        return types.BLOB, _prefixed(value)
    if isinstance(value, str):
        return types.VAR_STRING, _prefixed(value.encode())
    if value >= _INT64:
        return types.LONGLONG | _UNSIGNED_PARAMETER, struct.pack("<Q", value)
    return types.LONGLONG, struct.pack("<q", value)


def _prefixed(value: bytes) -> bytes:
    """A string after its length, in the shortest form."""
    size = len(value)
    if size < 251:
        return bytes([size]) + value
    for mark, width in ((0xFC, 2), (0xFD, 3)):
        if size < 1 << 8 * width:
            return bytes([mark]) + size.to_bytes(width, "little") + value
    return b"\xfe" + size.to_bytes(8, "little") + value
