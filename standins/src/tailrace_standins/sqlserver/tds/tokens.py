"""The tokens of an answer, with a function for each.

Source: [MS-TDS] 2.2.7 Packet Data Token Stream Definition
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from tailrace_standins.sqlserver.session import Notice, ResultColumn, ReturnValue, SqlError
from tailrace_standins.sqlserver.tds.frames import framed, null
from tailrace_standins.sqlserver.tds.types import Framing, framing, type_info, user_type

SERVER_NAME: Final = "STANDIN"
MORE, ERROR, COUNT, ATTENTION, IN_BATCH = 0x01, 0x02, 0x10, 0x20, 0x80
"""Status bits of DONE ([MS-TDS] 2.2.7.6); `IN_BATCH`: another call of the same request follows (2.2.7.8)."""
_NULLABLE, _UPDATEABLE_UNKNOWN, _IDENTITY, _COMPUTED = 0x01, 0x08, 0x10, 0x20
_NO_METADATA: Final = b"\x81\xff\xff"
_COMMANDS: Final = {
    "DROP SCHEMA": 176,
    "SELECT": 193,
    "SELECT INTO": 194,
    "INSERT": 195,
    "DELETE": 196,
    "UPDATE": 197,
    "CREATE TABLE": 198,
    "DROP TABLE": 199,
    "CREATE INDEX": 200,
    "DROP INDEX": 201,
    "CREATE DATABASE": 203,
    "DROP DATABASE": 204,
    "GRANT": 205,
    "REVOKE": 206,
    "CREATE VIEW": 207,
    "DROP VIEW": 208,
    "ALTER DATABASE": 215,
    "ALTER TABLE": 216,
    "MERGE": 279,
    "CREATE SCHEMA": 330,
}
"""CurCmd by verb: mssql-jdbc returns the row count for some, 0 for others, and no update count for unknown ones."""
_LONGEST_MESSAGE: Final = 8000


class Done(IntEnum):
    """The kinds of DONE: after a statement of a batch, a procedure, a statement in a procedure."""

    BATCH = 0xFD
    PROCEDURE = 0xFE
    IN_PROCEDURE = 0xFF


class Environment(IntEnum):
    """The types of ENVCHANGE ([MS-TDS] 2.2.7.9)."""

    DATABASE = 1
    LANGUAGE = 2
    PACKET_SIZE = 4
    COLLATION = 7
    BEGUN = 8
    COMMITTED = 9
    ROLLED_BACK = 10
    RESET = 18


def done(kind: Done, status: int = 0, *, count: int | None = None, verb: str = "") -> bytes:
    """DONE; `count` is a number of rows. Without a verb a count is sent as one of DML, because JDBC ignores other counts."""
    if count is not None:
        status |= COUNT
    command = _COMMANDS.get(verb.upper(), _COMMANDS["UPDATE"] if count is not None else 0)
    return struct.pack("<BHHQ", kind, status, command, count or 0)


def error(problem: SqlError) -> bytes:
    """ERROR."""
    told = (problem.number, problem.state, problem.severity, problem.message, problem.procedure, problem.line)
    return _message(0xAA, *told)


def info(notice: Notice) -> bytes:
    """INFO."""
    return _message(0xAB, notice.number, notice.state, notice.severity, notice.message, "", 1)


def changed_text(what: Environment, new: str, old: str = "") -> bytes:
    """ENVCHANGE with text values."""
    return _sized(0xE3, bytes([what]) + _text(new) + _text(old))


def changed_bytes(what: Environment, new: bytes, old: bytes = b"") -> bytes:
    """ENVCHANGE with binary values."""
    return _sized(0xE3, bytes([what, len(new)]) + new + bytes([len(old)]) + old)


def login_ack(tds_version: int, program: str, version: tuple[int, int, int]) -> bytes:
    """LOGINACK."""
    body = struct.pack(">BI", 1, tds_version) + _text(program) + struct.pack(">BBH", *version)
    return _sized(0xAD, body)


def feature_acks(acks: Sequence[tuple[int, bytes]]) -> bytes:
    """FEATUREEXTACK."""
    return b"\xae" + b"".join(struct.pack("<BI", id_, len(data)) + data for id_, data in acks) + b"\xff"


def columns(result: Sequence[ResultColumn]) -> bytes:
    """COLMETADATA."""
    if not result:
        return _NO_METADATA
    return b"\x81" + struct.pack("<H", len(result)) + b"".join(map(_column, result))


def return_status(status: int) -> bytes:
    """RETURNSTATUS."""
    return struct.pack("<Bi", 0x79, status)


def return_value(value: ReturnValue, place: int) -> bytes:
    """RETURNVALUE; `place` is the parameter's index in the call, from 0."""
    type_ = value.type
    told = struct.pack("<BH", 0xAC, place) + _text(value.name) + struct.pack("<BIH", 1, user_type(type_), 0)
    data = null(type_) if value.value is None else framed(type_)(value.value)
    return told + type_info(type_) + data


def _column(column: ResultColumn) -> bytes:
    flags = _UPDATEABLE_UNKNOWN | (_NULLABLE if column.nullable else 0)
    flags = flags | _IDENTITY if column.identity else flags
    flags = flags | _COMPUTED if column.computed else flags
    told = struct.pack("<IH", user_type(column.type), flags) + type_info(column.type)
    if framing(column.type) is Framing.POINTER:
        told += b"\x01\x00\x00"  # TableName: one part, with an empty name
    return told + _text(column.name)


def _message(token: int, number: int, state: int, severity: int, text: str, procedure: str, line: int) -> bytes:
    told = text[:_LONGEST_MESSAGE]
    body = struct.pack("<iBBH", number, state, severity, len(_utf16(told)) // 2) + _utf16(told)
    return _sized(token, body + _text(SERVER_NAME) + _text(procedure) + struct.pack("<I", max(line, 0)))


def _sized(token: int, body: bytes) -> bytes:
    return struct.pack("<BH", token, len(body)) + body


def _text(text: str) -> bytes:
    """B_VARCHAR: text after its length in one byte."""
    data = _utf16(text)[: 2 * 255]
    return bytes([len(data) // 2]) + data


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
