"""PRELOGIN: versions, and the negotiation of encryption.

Source: [MS-TDS] 2.2.6.5 PRELOGIN
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

from tailrace_standins.sqlserver.tds.packets import ProtocolError

PRODUCT: Final = (16, 0, 1000)
"""The major and minor version and build that clients get: SQL Server 2022."""
_VERSION, _ENCRYPTION, _INSTANCE, _THREAD, _MARS, _FEDERATED = 0, 1, 2, 3, 4, 6
_END: Final = 0xFF


class Encryption(IntEnum):
    """The values of the option ENCRYPTION."""

    LOGIN_ONLY = 0
    ON = 1
    NOT_SUPPORTED = 2
    REQUIRED = 3


def options(data: bytes) -> dict[int, bytes]:
    """The options of a client's PRELOGIN."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(data) and data[at] != _END:
        if at + 5 > len(data):
            raise ProtocolError("a PRELOGIN ends in the middle of its list of options")
        option, offset, length = struct.unpack_from(">BHH", data, at)
        found[option] = data[offset : offset + length]
        at += 5
    return found


def agreed(asked: bytes, *, has_certificate: bool) -> Encryption:
    """The server's reply to a client's ENCRYPTION; a client that requires encryption and gets none disconnects by itself."""
    wish = Encryption(asked[0] & 0x03) if asked else Encryption.LOGIN_ONLY
    if not has_certificate or wish is Encryption.NOT_SUPPORTED:
        return Encryption.NOT_SUPPORTED
    return Encryption.LOGIN_ONLY if wish is Encryption.LOGIN_ONLY else Encryption.ON


def answer(asked: dict[int, bytes], encryption: Encryption) -> bytes:
    """The server's PRELOGIN: no instance, no MARS, no federated authentication."""
    told = [
        (_VERSION, struct.pack(">BBHH", *PRODUCT, 0)),
        (_ENCRYPTION, bytes([encryption])),
        (_INSTANCE, b"\0"),
        (_THREAD, b""),
        (_MARS, b"\0"),
    ]
    if _FEDERATED in asked:
        told.append((_FEDERATED, b"\0"))
    at = 5 * len(told) + 1
    index = b""
    for option, data in told:
        index += struct.pack(">BHH", option, at, len(data))
        at += len(data)
    return index + bytes([_END]) + b"".join(data for _, data in told)
