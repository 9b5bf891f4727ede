"""Protobuf's wire format: tags, numbers and lengths. Source: Protobuf's documentation, "Encoding"."""

from __future__ import annotations

import struct
from typing import Final

from tailrace.encoding.avro.values import varint as zigzag

VARINT: Final = 0
FIXED64: Final = 1
SIZED: Final = 2
FIXED32: Final = 5
_LOW_64: Final = (1 << 64) - 1


def varint(number: int) -> bytes:
    """A number of 64 bits; a negative one takes ten bytes."""
    rest = number & _LOW_64
    made = bytearray()
    while rest > 0x7F:
        made.append(rest & 0x7F | 0x80)
        rest >>= 7
    made.append(rest)
    return bytes(made)


def tag(number: int, wire_type: int) -> bytes:
    """What stands before a field."""
    return varint(number << 3 | wire_type)


def sized(content: bytes) -> bytes:
    """Bytes, UTF-8 or a message, with the length."""
    return varint(len(content)) + content


def sized_field(number: int, content: bytes) -> bytes:
    """A field of bytes, UTF-8 or a message."""
    return tag(number, SIZED) + sized(content)


def number_field(number: int, value: int) -> bytes:
    """A field of a number that is left out where it is zero."""
    return tag(number, VARINT) + varint(value) if value else b""


def double(value: float) -> bytes:
    """A number of double precision."""
    return struct.pack("<d", value)


def single(value: float) -> bytes:
    """A number of single precision."""
    return struct.pack("<f", value)


def index_path(index: int) -> bytes:
    """Which message of a file it is, as Confluent's readers want it behind the schema's id: the first one is one zero byte."""
    return b"\x00" if index == 0 else zigzag(1) + zigzag(index)
