"""Integers as MySQL's protocol and log write them."""

from __future__ import annotations


def lenenc(data: bytes, o: int) -> tuple[int, int]:
    """A length-encoded integer and the offset behind it."""
    first = data[o]
    if first < 251:
        return first, o + 1
    size = {252: 2, 253: 3, 254: 8}[first]
    return int.from_bytes(data[o + 1 : o + 1 + size], "little"), o + 1 + size


def little(data: bytes, o: int, size: int) -> int:
    """A little-endian unsigned integer of `size` bytes."""
    return int.from_bytes(data[o : o + size], "little")
