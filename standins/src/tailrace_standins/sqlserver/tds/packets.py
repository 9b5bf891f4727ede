"""Messages in packets: a header of eight bytes, then data; a message has one or more packets.

Source: [MS-TDS] 2.2.3 Packets, https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

HEADER: Final = struct.Struct(">BBHHBB")
SMALLEST: Final = 512
LARGEST: Final = 32767
LARGEST_ENCRYPTED: Final = 16383
BEFORE_LOGIN: Final = 4096
_END: Final = 0x01
_IGNORE: Final = 0x02
_RESET: Final = 0x08
_RESET_KEEPING_TRANSACTION: Final = 0x10


class Kind(IntEnum):
    """Type of a message ([MS-TDS] 2.2.3.1.1)."""

    BATCH = 1
    RPC = 3
    ANSWER = 4
    ATTENTION = 6
    BULK = 7
    TRANSACTION = 14
    LOGIN = 16
    PRELOGIN = 18


class ProtocolError(Exception):
    """The bytes are not TDS, or a part of it that is not supported: the connection ends."""


@dataclass(frozen=True, slots=True)
class Message:
    """A complete message of a client.

    Attributes:
        kind: its type as a number; not all types are in `Kind`.
        data: without headers.
        ignored: the client withdrew it while sending.
        reset: the session must be reset before it is executed (RESETCONNECTION).
        keeps_transaction: the reset keeps the transaction (RESETCONNECTIONSKIPTRAN).

    """

    kind: int
    data: bytes
    ignored: bool = False
    reset: bool = False
    keeps_transaction: bool = False


class Inbox:
    """Assembles messages from bytes, however these were split."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._parts: list[bytes] = []
        self._flags = 0

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._bytes += data

    def messages(self) -> Iterator[Message]:
        """The messages that are complete now; raises `ProtocolError`."""
        while (message := self._next()) is not None:
            yield message

    def rest(self) -> bytes:
        """Remove and return the bytes after the last complete packet."""
        rest = bytes(self._bytes)
        self._bytes.clear()
        return rest

    def _next(self) -> Message | None:
        while len(self._bytes) >= HEADER.size:
            kind, status, length, *_ = HEADER.unpack_from(self._bytes)
            if length < HEADER.size:
                raise ProtocolError(f"a packet says it has {length} bytes; its header alone has {HEADER.size}")
            if len(self._bytes) < length:
                return None
            self._parts.append(bytes(self._bytes[HEADER.size : length]))
            del self._bytes[:length]
            self._flags |= status
            if status & _END:
                return self._whole(kind)
        return None

    def _whole(self, kind: int) -> Message:
        flags, data = self._flags, b"".join(self._parts)
        self._flags, self._parts = 0, []
        keeps = bool(flags & _RESET_KEEPING_TRANSACTION)
        return Message(kind, data, bool(flags & _IGNORE), keeps or bool(flags & _RESET), keeps)


class Outbox:
    """Splits the data of one message into packets: full ones immediately, the last one in `finish`."""

    def __init__(self, kind: Kind, size: int, spid: int = 0) -> None:
        self._kind = kind
        self._room = size - HEADER.size
        self._spid = spid & 0xFFFF
        self._number = 0
        self._left = b""

    def add(self, data: bytes | memoryview) -> bytes:
        """The packets that are full now. At least one byte is kept back, because the last packet is marked as such."""
        whole = memoryview(self._left + bytes(data) if self._left else data)
        full = max(0, (len(whole) - 1) // self._room)
        self._left = bytes(whole[full * self._room :])
        room = self._room
        parts: list[bytes | memoryview] = []
        for at in range(0, full * room, room):
            parts += (self._header(room, 0), whole[at : at + room])
        return b"".join(parts)

    def finish(self) -> bytes:
        """The last packet."""
        last = self._header(len(self._left), _END) + self._left
        self._left = b""
        return last

    def _header(self, length: int, status: int) -> bytes:
        self._number = (self._number + 1) & 0xFF
        return HEADER.pack(self._kind, status, length + HEADER.size, self._spid, self._number, 0)


def packets(kind: Kind, data: bytes, size: int, spid: int = 0) -> bytes:
    """The packets of a complete message."""
    outbox = Outbox(kind, size, spid)
    return outbox.add(data) + outbox.finish()
