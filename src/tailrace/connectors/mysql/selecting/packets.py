"""A server's packets in one large, reused buffer.

The driver makes a Python object of each packet; here compiled code finds them in place. A buffer is
filled with everything available; its rest, the beginning of a packet, moves to the front when there is no
more room after it.
"""

from __future__ import annotations

import socket
from typing import Final

from tailrace.changes.vectors import Bytes
from tailrace.connectors.mysql.rows.memory import POOL
from tailrace.connectors.mysql.selecting.transcoding import HEADER, LONGEST, SPARE
from tailrace.errors import RetriableError

SIZE: Final = 4 << 20


class PacketReader:
    """Received bytes, from `data[start]` to `data[end]`; there are always `SPARE` more bytes after them."""

    def __init__(self, sock: socket.socket, doing: str, size: int = SIZE) -> None:
        """`doing` precedes the cause in an error."""
        self._socket = sock
        self._doing = doing
        self.data: Bytes = POOL.take(size)
        self.start = 0
        self.end = 0

    def need(self, count: int) -> None:
        """Wait until there are at least `count` bytes from `start` on.

        Raises:
            RetriableError: the connection was lost, or nothing came within its timeout.

        """
        if self.start == self.end:
            self.start = self.end = 0
        if self.start + count > self._room:
            self._make_room(count)
        while self.end - self.start < count:
            self._receive()

    def packet(self) -> bytes:
        """The next packet, without its header; not for one that is continued in others."""
        self.need(HEADER)
        size = self._size(0)
        self.need(HEADER + size)
        begin = self.start + HEADER
        self.start = begin + size
        return self.data[begin : self.start].tobytes()

    def long_packet(self) -> tuple[int, int]:
        """The next packet, which is continued in others, in one piece: where it begins and ends in `data`.

        It stays there until the next call of any method.
        """
        stop, size = 0, LONGEST
        while size == LONGEST:
            self.need(stop + HEADER)
            size = self._size(stop)
            stop += HEADER + size
            self.need(stop)
        joined = self._join(stop)
        begin = self.start + HEADER
        self.start += stop
        return begin, begin + joined

    @property
    def _room(self) -> int:
        return len(self.data) - SPARE

    def _size(self, at: int) -> int:
        """The size in the header `at` bytes after the start."""
        begin = self.start + at
        return int.from_bytes(self.data[begin : begin + 3].tobytes(), "little")

    def _join(self, stop: int) -> int:
        """Move the packets up to `stop` together, over the headers of all but the first; bytes without headers."""
        data = self.data[self.start : self.start + stop]
        target = at = HEADER + LONGEST
        while at < stop:
            size = self._size(at)
            data[target : target + size] = data[at + HEADER : at + HEADER + size].copy()
            target += size
            at += HEADER + size
        return target - HEADER

    def _make_room(self, count: int) -> None:
        left = self.data[self.start : self.end]
        fresh = self.data if count <= self._room else POOL.take(max(2 * len(self.data), count + SPARE))
        fresh[: len(left)] = left.copy() if fresh is self.data else left
        self.data, self.start, self.end = fresh, 0, len(left)

    def _receive(self) -> None:
        try:
            count = self._socket.recv_into(self.data.data[self.end : self._room])
        except OSError as error:
            raise RetriableError(f"{self._doing}: {error}") from error
        if count == 0:
            raise RetriableError(f"{self._doing}: the server closed the connection")
        self.end += count
