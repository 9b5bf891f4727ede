"""Compressed transactions (binlog_transaction_compression): the events of a `Transaction_payload_event`."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import zstandard

from tailrace.connectors.mysql.log.events import parse_payload_header
from tailrace.connectors.mysql.log.items import Bytes

ZSTD: Final = 0
NONE: Final = 255
PIECE: Final = 2 << 20  # a bigger payload is unpacked and walked piece by piece
_LONGEST_HEADER: Final = 64


class Reader(Protocol):
    """Unpacks a payload."""

    def readinto(self, into: memoryview) -> int:
        """Read the next bytes; returns their number, 0 at the end."""


class Payload:
    """A payload event's body: the compressed events begin at `start` in `data`.

    `size` is how many bytes they unpack to; 0 if the event doesn't say.
    """

    def __init__(self, data: Bytes, body: int, stop: int) -> None:
        offset, packed, self.compression, self.size = parse_payload_header(
            data[body : min(stop, body + _LONGEST_HEADER)].tobytes()
        )
        self.start = body + offset
        self.stop = min(stop, self.start + packed) if packed else stop
        self._data = data

    def reader(self, zstd: zstandard.ZstdDecompressor) -> Reader:
        """The unpacked events; invalidates the previous reader of the same decompressor."""
        return zstd.stream_reader(self._data[self.start : self.stop].data, read_across_frames=True)


def fill(reader: Reader, into: Bytes) -> int:
    """Read until `into` is full or the payload ends; how many bytes were read."""
    view, filled = into.data, 0
    while filled < len(view):
        count = reader.readinto(view[filled:])
        if count == 0:
            break
        filled += count
    return filled


def with_room(rest: Bytes, size: int) -> Bytes:
    """A new block of `size` bytes or more that begins with `rest`."""
    block = np.empty(max(size, len(rest)), np.uint8)
    block[: len(rest)] = rest
    return block
