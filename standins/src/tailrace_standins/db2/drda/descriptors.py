"""Descriptions of columns and parameters: SQLDARD (and SQLCINRD) for the program, QRYDSC for the bytes of rows.

Source: DRDA V5 volume 1, "SQLDARD", "SQLDHGRP", "SQLDAGRP", "SQLDOPTGRP", "SQLDXGRP", and the late descriptors of SQLDTARD.
Volume 1's layout of SQLAM 11 has SQLARREXTENT, SQLSUSIZE and SQLDCDT too.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from tailrace_standins.db2.drda.types import triplet, wire
from tailrace_standins.db2.session import Column

_PER_GROUP: Final = 84
_GROUP_HEADER, _CONTINUED_HEADER = b"\x76\xd0", b"\x7f\x00"
_ROWS_OF_GROUPS: Final = bytes.fromhex("0971e0540001d000010671f0e00000")
"""The row: an SQLCA group and the group of columns; and the array of rows."""
_ABSENT: Final = b"\xff"
_DYNAMIC: Final = 85
_CHARACTER_UNITS: Final = 8


def described(columns: Sequence[Column], *, extended: bool) -> bytes:
    """SQLDARD without its SQLCARD; `extended` as TYPSQLDA asks for (4)."""
    head = _held() if extended else _ABSENT
    return head + struct.pack("<H", len(columns)) + b"".join(_column(column, extended=extended) for column in columns)


def rows_descriptor(columns: Sequence[Column]) -> bytes:
    """QRYDSC: the types of columns, in groups of 84 at most, and how rows are made of them."""
    types = [triplet(column.type, nullable=column.nullable) for column in columns]
    groups = []
    for at in range(0, len(types), _PER_GROUP):
        body = (_CONTINUED_HEADER if at else _GROUP_HEADER) + b"".join(types[at : at + _PER_GROUP])
        groups.append(bytes([len(body) + 1]) + body)
    return b"".join(groups) + _ROWS_OF_GROUPS


def _held() -> bytes:
    """SQLDHGRP: a cursor that is held, returns to the caller, and is neither scrollable nor sensitive; no names."""
    return b"\x00" + struct.pack("<7h", 1, 1, 0, 0, _DYNAMIC, 0, 0) + _names(1) + _names(4)


def _column(column: Column, *, extended: bool) -> bytes:
    told = wire(column.type)
    units = _CHARACTER_UNITS if column.type.name in {"char", "varchar"} and not column.type.bit_data else 0
    name = column.name.encode()
    return b"".join((
        struct.pack("<hhq", told.precision, told.scale, told.length),
        struct.pack("<H", told.sqltype + column.nullable), struct.pack(">H", told.ccsid),
        struct.pack("<qH", 0, units),
        b"\x00", struct.pack("<h", column.unnamed), struct.pack(">H", len(name)), name, _names(5),
        _ABSENT,  # no user-defined type
        _extension() if extended else _ABSENT,
        _ABSENT,  # no structure
    ))  # fmt: skip


def _extension() -> bytes:
    """SQLDXGRP: neither key nor updatable nor generated, and no names of table or schema."""
    return b"\x00" + struct.pack("<6h", 0, 0, 0, 0, 0, 0) + _names(11)


def _names(count: int) -> bytes:
    """Empty names: each is a length alone."""
    return bytes(2 * count)
