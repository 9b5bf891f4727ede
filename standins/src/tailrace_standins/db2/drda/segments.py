"""DSS segments: the envelopes of commands, replies and objects.

A segment has a length, 0xD0, a kind with flags, and a correlator: a command, its objects and all answers to it share one. One
that is longer than 32,767 bytes goes on in pieces, each with a length of two bytes of its own, whose high bit says that one
follows.

Source: DRDA V5 volume 3, "DSS" (layer A: DSS headers, continuation, chaining)
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tailrace_standins.db2.drda.cursor import ProtocolError

_LONGEST: Final = 0x7FFF
_CONTINUED: Final = 0x8000
_HEADER: Final = 6
_MAGIC: Final = 0xD0
_CHAINED: Final = 0x40
_GOES_ON: Final = 0x20
_SAME_CORRELATOR: Final = 0x10


class Kind(IntEnum):
    """Kinds of segments."""

    REQUEST = 1
    REPLY = 2
    OBJECT = 3
    ENCRYPTED_OBJECT = 4
    REQUEST_WITHOUT_REPLY = 5


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment; `chained`: another follows, `same`: with the same correlator, `goes_on`: also after an error."""

    kind: int
    correlator: int
    data: bytes
    chained: bool = False
    same: bool = False
    goes_on: bool = False


class Inbox:
    """Turns received bytes into segments."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes."""
        self._bytes += data

    def segments(self) -> Iterator[Segment]:
        """The segments that are complete; raises `ProtocolError` for what is no DSS."""
        while (size := self._size()) is not None:
            yield self._taken(size)

    def _size(self) -> int | None:
        """The bytes of the first segment with all its pieces; None while it is not complete."""
        if len(self._bytes) < _HEADER:
            return None
        length, magic = struct.unpack_from(">HB", self._bytes)
        if magic != _MAGIC or (not length & _CONTINUED and length < _HEADER):
            raise ProtocolError(f"no DSS: {bytes(self._bytes[:_HEADER]).hex()}")
        end = 0
        while length & _CONTINUED:
            end += _LONGEST
            if len(self._bytes) < end + 2:
                return None
            (length,) = struct.unpack_from(">H", self._bytes, end)
        end += length
        return end if len(self._bytes) >= end else None

    def _taken(self, size: int) -> Segment:
        whole = bytes(self._bytes[:size])
        del self._bytes[:size]
        flags, correlator = struct.unpack_from(">BH", whole, 3)
        parts = [whole[_HEADER : min(size, _LONGEST)]]
        parts += [whole[at + 2 : at + _LONGEST] for at in range(_LONGEST, size, _LONGEST)]
        kind, bits = flags & 0x0F, (bool(flags & bit) for bit in (_CHAINED, _SAME_CORRELATOR, _GOES_ON))
        return Segment(kind, correlator, b"".join(parts), *bits)


def chained(answers: Sequence[tuple[Kind, int, bytes]]) -> bytes:
    """The segments of answers - kind, correlator, an object - as one chain."""
    following = [answer[1] for answer in answers[1:]]
    sent = []
    for place, (kind, correlator, data) in enumerate(answers):
        flags: int = kind
        if place < len(following):
            flags |= _CHAINED | (_SAME_CORRELATOR if following[place] == correlator else 0)
        sent.append(_written(flags, correlator, data))
    return b"".join(sent)


def _written(flags: int, correlator: int, data: bytes) -> bytes:
    if len(data) + _HEADER <= _LONGEST:
        return struct.pack(">HBBH", len(data) + _HEADER, _MAGIC, flags, correlator) + data
    at = _LONGEST - _HEADER
    parts = [struct.pack(">HBBH", 0xFFFF, _MAGIC, flags, correlator), data[:at]]
    while at < len(data):
        piece = data[at : at + _LONGEST - 2]
        at += len(piece)
        parts += [struct.pack(">H", (len(piece) + 2) | (_CONTINUED if at < len(data) else 0)), piece]
    return b"".join(parts)
