"""Reads bytes one after the other."""

from __future__ import annotations


class ProtocolError(Exception):
    """The client's bytes are no DRDA that is spoken here."""


class Cursor:
    """A place in bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        """The next bytes; raises `ProtocolError` if there are fewer."""
        if count > self.left:
            raise ProtocolError(f"{count} bytes where {self.left} are left")
        taken = self._data[self._at : self._at + count]
        self._at += count
        return taken

    def big(self, size: int) -> int:
        """The next unsigned number, its highest byte first."""
        return int.from_bytes(self.take(size), "big")

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]
