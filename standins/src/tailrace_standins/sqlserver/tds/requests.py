"""Parses a client's requests.

Source: [MS-TDS] 2.2.5.3 Packet Data Stream Headers, 2.2.6.6 RPC Request, 2.2.6.7 SQLBatch, 2.2.6.9 Transaction Manager
Request
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tailrace_standins.sqlserver.session import Isolation, Parameter, SqlError
from tailrace_standins.sqlserver.tds.cursor import Cursor, decoded
from tailrace_standins.sqlserver.tds.packets import ProtocolError
from tailrace_standins.sqlserver.tds.parameters import read_parameter

_BY_NUMBER: Final = 0xFFFF
_SEPARATORS: Final = frozenset({0xFE, 0xFF})
_PROCEDURES: Final = {
    1: "sp_cursor",
    2: "sp_cursoropen",
    3: "sp_cursorprepare",
    4: "sp_cursorexecute",
    5: "sp_cursorprepexec",
    6: "sp_cursorunprepare",
    7: "sp_cursorfetch",
    8: "sp_cursoroption",
    9: "sp_cursorclose",
    10: "sp_executesql",
    11: "sp_prepare",
    12: "sp_execute",
    13: "sp_prepexec",
    14: "sp_prepexecrpc",
    15: "sp_unprepare",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a procedure, by its name."""

    procedure: str
    parameters: tuple[Parameter, ...]


class Transactional(IntEnum):
    """The kinds of transaction requests; those of distributed transactions are left out."""

    BEGIN = 5
    COMMIT = 7
    ROLLBACK = 8
    SAVE = 9


@dataclass(frozen=True, slots=True)
class TransactionRequest:
    """Begin, commit, roll back or save; `next_isolation` is set if another transaction is to begin immediately."""

    what: Transactional
    name: str = ""
    isolation: Isolation = Isolation.CURRENT
    next_isolation: Isolation | None = None
    next_name: str = ""


def read_batch(data: bytes) -> str:
    """The SQL text of a batch."""
    cursor = _behind_headers(data)
    return decoded(cursor.take(cursor.left))


def read_calls(data: bytes) -> list[Call]:
    """The calls of a request; raises `SqlError` for parameters that are not supported."""
    cursor = _behind_headers(data)
    calls = []
    while cursor.left:
        calls.append(_call(cursor))
    return calls


def read_transaction(data: bytes) -> TransactionRequest:
    """A transaction manager request; raises `SqlError` for distributed transactions."""
    cursor = _behind_headers(data)
    number = cursor.u16()
    try:
        what = Transactional(number)
    except ValueError:
        raise SqlError(
            50000, f"The stand-in does not take part in distributed transactions (request {number})."
        ) from None
    if what is Transactional.BEGIN:
        return TransactionRequest(what, isolation=_isolation(cursor), name=_name(cursor))
    name = _name(cursor)
    if what is Transactional.SAVE or not cursor.left or not cursor.u8() & 1:
        return TransactionRequest(what, name)
    return TransactionRequest(what, name, next_isolation=_isolation(cursor), next_name=_name(cursor))


def _behind_headers(data: bytes) -> Cursor:
    """A cursor after ALL_HEADERS. These have the transaction descriptor, which the session knows itself, and trace ids."""
    cursor = Cursor(data)
    size = cursor.u32()
    if size < 4:
        raise ProtocolError(f"headers of {size} bytes: a client of TDS 7.1 or older")
    cursor.take(size - 4)
    return cursor


def _call(cursor: Cursor) -> Call:
    length = cursor.u16()
    if length == _BY_NUMBER:
        number = cursor.u16()
        if number not in _PROCEDURES:
            raise SqlError(2812, f"Could not find stored procedure number {number}.")
        name = _PROCEDURES[number]
    else:
        name = cursor.text(length)
    cursor.u16()
    parameters: list[Parameter] = []
    while cursor.left:
        if cursor.data[cursor.at] in _SEPARATORS:
            cursor.u8()
            break
        parameters.append(read_parameter(cursor, len(parameters) + 1))
    return Call(name, tuple(parameters))


def _isolation(cursor: Cursor) -> Isolation:
    number = cursor.u8()
    try:
        return Isolation(number)
    except ValueError:
        raise ProtocolError(f"isolation level {number} is none") from None


def _name(cursor: Cursor) -> str:
    return decoded(cursor.take(cursor.u8()))
