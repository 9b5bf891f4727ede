"""The order in which Java's hash maps and sets hold things.

Apicurio's converter collects a schema's references in such sets, and a registry takes the same references in another order for
another version of the schema.

Source: the documentation of `String.hashCode`, of `HashMap`'s capacity and load factor, and Lombok's of hash codes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

_BITS: Final = 0xFFFFFFFF
_SMALLEST: Final = 16  # buckets
_OF_NULL: Final = 43
_OF_FIELD: Final = 59


def string_hash(text: str | None) -> int:
    """The hash of a text, in 32 bits without a sign; of null that which Lombok gives it."""
    if text is None:
        return _OF_NULL
    encoded = text.encode("utf-16-le", "surrogatepass")
    found = 0
    for unit in struct.unpack(f"<{len(encoded) // 2}H", encoded):
        found = (31 * found + unit) & _BITS
    return found


def object_hash(*fields: str | None) -> int:
    """The hash that Lombok gives an object with these fields."""
    found = 1
    for each in fields:
        found = (found * _OF_FIELD + string_hash(each)) & _BITS
    return found


def in_hash_order(items: Sequence[T], hashes: Sequence[int], buckets: int | None = None) -> list[T]:
    """Distinct things in the order of a hash set that they were put into one after the other.

    `buckets`: how many it has in the end, a power of two; None: it began with as many as Java's sets have.
    """
    if buckets is None:
        buckets = _SMALLEST
        while len(items) > buckets * 3 // 4:
            buckets *= 2
    places = [(each ^ each >> 16) & (buckets - 1) for each in hashes]
    return [items[k] for k in sorted(range(len(items)), key=places.__getitem__)]  # stable, as within a bucket
