"""Answers that end: a server may send without end, or a byte a minute, and neither may take all memory or all time.

`http.client` limits the length of lines and the number of headers, but not the answer, and its time-out is that of each read.
"""

from __future__ import annotations

import http.client
import io
import socket
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LARGEST: Final = 16 << 20
"""Bytes of an answer, with its headers. Registries keep a schema in a message of Kafka, which has a megabyte at most."""
_PATIENCE: Final = 2  # times the time-out of a read, for the whole answer
_NO_TIME_OUT: Final = 3600.0  # seconds
_PIECE: Final = 1 << 16


class UnusableAnswerError(Exception):
    """An answer that is not read to its end, or can't be; another try would bring the same."""


class BoundedAnswer(http.client.HTTPResponse):
    """An answer of at most `LARGEST` bytes, all of which are there within twice the time-out of the socket."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Bounded(sock))

    def whole(self) -> bytes:
        """The body.

        Raises:
            UnusableAnswerError: it is larger than an answer may be, or compressed.
            OSError: it does not come, or not in time.

        """
        with self:
            encoding = self.headers.get("Content-Encoding", "identity").strip().lower()
            if encoding != "identity":
                raise UnusableAnswerError(f"it is compressed ({encoding[:20]!r}), which was not asked for")
            pieces = []
            while piece := self.read(_PIECE):  # at once it would take as much memory as the server says that it is long
                pieces.append(piece)
            return b"".join(pieces)


class _Bounded(io.RawIOBase):
    """The bytes of a socket, up to a number and a moment."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._timeout = sock.gettimeout() or _NO_TIME_OUT
        self._end = monotonic() + _PATIENCE * self._timeout
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError(f"the answer is not whole after {_PATIENCE * self._timeout:g} s")
        self._sock.settimeout(min(left, self._timeout))
        count = self._raw.readinto(buffer)
        self._count += count or 0
        if self._count > LARGEST:
            raise UnusableAnswerError(f"it is larger than {LARGEST >> 20} MiB")
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
