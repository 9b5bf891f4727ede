"""A client of the wire that does nothing by itself: tests say which bytes go, cut how, and see which come."""

from __future__ import annotations

import socket
import struct
from types import TracebackType
from typing import Self

from tailrace_standins.sqlserver.tds.login import TDS_7_4, obfuscated
from tailrace_standins.sqlserver.tds.packets import HEADER, Inbox, Kind, Message, packets

PATIENCE_SECONDS = 20
PASSWORD = "secret"
PRELOGIN = bytes.fromhex("00 000b 0006  01 0011 0001  ff 10000000 0000 02".replace(" ", ""))
HEADERS = struct.pack("<IIHQI", 22, 18, 2, 0, 1)


def login7(
    password: str = PASSWORD,
    database: str = "inventory",
    *,
    version: int = TDS_7_4,
    packet_size: int = 4096,
    flags: bytes = b"\0\0\0\0",
) -> bytes:
    """A LOGIN7 of user sa for a database, with one feature: UTF-8."""
    texts = ["host", "sa", password, "tests", "server", "", "library", "", database]
    fixed, data, index = 94, b"", b""
    for place, text in enumerate(texts):
        if place == 5:
            index += struct.pack("<HH", fixed + len(data), 4)
            pointer = fixed + len(data)
            data += b"\0\0\0\0"
            continue
        index += struct.pack("<HH", fixed + len(data), len(text))
        data += obfuscated(text) if place == 2 else text.encode("utf-16-le")
    index += b"\0" * 6 + struct.pack("<HHHHHHI", 0, 0, 0, 0, 0, 0, 0)
    features = struct.pack("<BI", 0x0A, 1) + b"\1" + b"\xff"
    where = fixed + len(data)
    data = data[: pointer - fixed] + struct.pack("<I", where) + data[pointer - fixed + 4 :] + features
    told = flags[:3] + bytes([flags[3] | 0x10])
    head = struct.pack("<IIIIII", fixed + len(data), version, packet_size, 0, 0, 0) + told + struct.pack("<iI", 0, 0)
    return head + index + data


def batch(sql: str) -> bytes:
    """The data of a batch."""
    return HEADERS + sql.encode("utf-16-le")


class RawClient:
    """A socket; messages are sent in packets of `packet_size`, and those in pieces of `cut` bytes, if it is told."""

    def __init__(self, port: int, *, packet_size: int = 4096, cut: int = 0) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._packet_size = packet_size
        self._cut = cut
        self._inbox = Inbox()
        self._waiting: list[Message] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def enter(self, password: str = PASSWORD, database: str = "inventory") -> bytes:
        """PRELOGIN and LOGIN7; the tokens that come back."""
        self.ask(Kind.PRELOGIN, PRELOGIN)
        return self.ask(Kind.LOGIN, login7(password, database, packet_size=self._packet_size))

    def ask(self, kind: Kind, data: bytes) -> bytes:
        """Send a message and take the answer's data."""
        self.send(packets(kind, data, self._packet_size))
        return self.answer()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        step = self._cut or len(data)
        for at in range(0, len(data), step):
            self._socket.sendall(data[at : at + step])

    def drain(self) -> bytes:
        """Take the next message, however large, and keep nothing of it but the data of its last packet."""
        data, last = bytearray(), False
        while not last:
            data += self._received()
            at = 0
            while len(data) - at >= HEADER.size:
                _, status, length, *_ = HEADER.unpack_from(data, at)
                if len(data) - at < length:
                    break
                last, at, begun = bool(status & 1), at + length, at + HEADER.size
            final = bytes(data[begun:at]) if last else b""
            del data[:at]
        return final

    def _received(self) -> bytes:
        data = self._socket.recv(1 << 20)
        if not data:
            raise ConnectionError("the server has closed the connection")
        return data

    def answer(self) -> bytes:
        """The data of the next message; `ConnectionError` where the server has closed the connection."""
        while not self._waiting:
            self._inbox.feed(self._received())
            self._waiting += self._inbox.messages()
        return self._waiting.pop(0).data
