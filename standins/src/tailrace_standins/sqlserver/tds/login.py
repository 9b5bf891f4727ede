"""LOGIN7: the client's login, and the server's reply.

Of a client's feature extensions only UTF-8 is acknowledged. The others would change later tokens: column encryption, for
example, changes COLMETADATA.

Source: [MS-TDS] 2.2.6.4 LOGIN7, 2.2.7.14 LOGINACK, 2.2.7.11 FEATUREEXTACK
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from tailrace_standins.sqlserver.session import Login, Notice, SqlError
from tailrace_standins.sqlserver.tds import tokens
from tailrace_standins.sqlserver.tds.collations import collation
from tailrace_standins.sqlserver.tds.cursor import Cursor
from tailrace_standins.sqlserver.tds.packets import BEFORE_LOGIN, LARGEST, LARGEST_ENCRYPTED, SMALLEST, ProtocolError
from tailrace_standins.sqlserver.tds.prelogin import PRODUCT
from tailrace_standins.sqlserver.tds.tokens import Done, Environment

TDS_7_3: Final = 0x730A0003
TDS_7_4: Final = 0x74000004
PROGRAM: Final = "Microsoft SQL Server"
_FIXED: Final = 94
_INTEGRATED, _CHANGES_PASSWORD, _EXTENSION, _READ_ONLY = 0x80, 0x01, 0x10, 0x20
_UTF8: Final = 0x0A
_END: Final = 0xFF
_LANGUAGE: Final = "us_english"


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """A LOGIN7 of a client.

    Attributes:
        login: user, database and so on.
        tds_version: the newest that the client supports.
        packet_size: the requested one, within the server's limits.
        features: numbers of the client's feature extensions; None if it knows no extensions.
        refusal: why this kind of login is not supported; "" if it is.

    """

    login: Login
    tds_version: int
    packet_size: int
    features: frozenset[int] | None
    refusal: str = ""


def read_login(data: bytes, *, encrypted: bool = False) -> LoginRequest:
    """Parse a LOGIN7; with encryption of the whole connection the maximum packet size is smaller. Raises `ProtocolError`.

    Source: "network packet size", https://learn.microsoft.com/sql/database-engine/configure-windows/configure-the-network-packet-size-server-configuration-option
    """
    if len(data) < _FIXED:
        raise ProtocolError(f"a LOGIN7 of {len(data)} bytes")
    version, packet_size = struct.unpack_from("<II", data, 4)
    flags2, type_flags, flags3 = data[25], data[26], data[27]
    login = Login(
        user=_field(data, 40),
        password=_password(data),
        database=_field(data, 68),
        host=_field(data, 36),
        application=_field(data, 48),
        language=_field(data, 64),
        read_only=bool(type_flags & _READ_ONLY),
    )
    features = _features(data) if flags3 & _EXTENSION else None
    refusal = _refusal(version, integrated=bool(flags2 & _INTEGRATED), changes=bool(flags3 & _CHANGES_PASSWORD))
    size = min(max(packet_size or BEFORE_LOGIN, SMALLEST), LARGEST_ENCRYPTED if encrypted else LARGEST)
    return LoginRequest(login, version, size, features, refusal)


def refused(request: LoginRequest) -> SqlError:
    """The error for a kind of login that is not supported."""
    return SqlError(18456, f"Login failed for user '{request.login.user}'. {request.refusal}", severity=14)


def welcome(request: LoginRequest, database: str) -> bytes:
    """The tokens after a successful login, without DONE."""
    language = request.login.language or _LANGUAGE
    parts = [
        tokens.changed_text(Environment.DATABASE, database, "master"),
        tokens.info(Notice(5701, f"Changed database context to '{database}'.", state=2)),
        tokens.changed_bytes(Environment.COLLATION, collation(None).data),
        tokens.changed_text(Environment.LANGUAGE, language),
        tokens.info(Notice(5703, f"Changed language setting to {language}.")),
        tokens.login_ack(min(request.tds_version, TDS_7_4), PROGRAM, PRODUCT),
        tokens.changed_text(Environment.PACKET_SIZE, str(request.packet_size), str(BEFORE_LOGIN)),
    ]
    if request.features is not None:
        parts.append(tokens.feature_acks([(_UTF8, b"\1")] if _UTF8 in request.features else []))
    return b"".join(parts)


def failure(problem: SqlError) -> bytes:
    """The tokens after a failed login."""
    return tokens.error(problem) + tokens.done(Done.BATCH, tokens.ERROR)


def obfuscated(password: str) -> bytes:
    """A password as clients send it: the halves of each byte are swapped, then it is XORed with 0xA5."""
    return bytes(((byte << 4 | byte >> 4) & 0xFF) ^ 0xA5 for byte in password.encode("utf-16-le"))


def _password(data: bytes) -> str:
    offset, length = struct.unpack_from("<HH", data, 44)
    plain = (byte ^ 0xA5 for byte in data[offset : offset + 2 * length])
    return bytes((byte << 4 | byte >> 4) & 0xFF for byte in plain).decode("utf-16-le", "replace")


def _field(data: bytes, at: int) -> str:
    offset, length = struct.unpack_from("<HH", data, at)
    return data[offset : offset + 2 * length].decode("utf-16-le", "replace")


def _features(data: bytes) -> frozenset[int]:
    """The numbers of the feature extensions; the header has the offset of a number that is the offset of their list."""
    (pointer,) = struct.unpack_from("<H", data, 56)
    cursor = Cursor(data, Cursor(data, pointer).u32())
    found = set()
    while (feature := cursor.u8()) != _END:
        cursor.take(cursor.u32())
        found.add(feature)
    return frozenset(found)


def _refusal(version: int, *, integrated: bool, changes: bool) -> str:
    if version < TDS_7_3:
        return f"The stand-in speaks TDS 7.3 and 7.4, the client 0x{version:08X}."
    if integrated:
        return "The stand-in has SQL Server authentication only."
    return "The stand-in does not change passwords." if changes else ""
