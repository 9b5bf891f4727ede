"""A set of keys by their digests, as a table with open addressing: 24 to 48 bytes per key.

The all-zero digest marks a free slot. A key with it counts as the neighbouring digest: no likelier than
any other collision.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tailrace.kernels import argument_types as arg
from tailrace.kernels.compiling import Int, entry, inlined
from tailrace.snapshot.digests import Digests

Mask = npt.NDArray[np.bool_]

_SMALLEST: Final = 64  # slots; always a power of two
_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)


class KeySet:
    """128-bit digests. Compiled code works on `slots` and `count`, and stops when `limit` is reached.

    Attributes:
        slots: the table, shape (slots, 2).
        count: how many slots are taken, shape (1,).

    """

    __slots__ = ("count", "slots")

    def __init__(self) -> None:
        self.slots: Digests = np.zeros((_SMALLEST, 2), np.uint64)
        self.count = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self.count[0])

    @property
    def limit(self) -> int:
        """The number of keys at which the table must `grow`."""
        return 2 * len(self.slots) // 3

    def add(self, digests: Digests) -> Mask:
        """Add digests; True for each new one, of equal ones only for the first; shape (n,)."""
        new = np.zeros(len(digests), np.bool_)
        at = _add(self.slots, self.count, self.limit, digests, 0, new)
        while at < len(digests):
            self.grow()
            at = _add(self.slots, self.count, self.limit, digests, at, new)
        return new

    def contains(self, digests: Digests) -> Mask:
        """True for each digest that is in the set, shape (n,)."""
        found = np.empty(len(digests), np.bool_)
        _contains(self.slots, digests, found)
        return found

    def grow(self) -> None:
        """Double the number of slots."""
        larger: Digests = np.zeros((2 * len(self.slots), 2), np.uint64)
        _move(self.slots, larger)
        self.slots = larger


@inlined
def find(slots: Any, first: Int, second: Int) -> Int:
    """The slot that holds a digest, or `-1 - slot` with the free one where it belongs."""
    if first == _NONE and second == _NONE:
        first = _ONE
    mask = len(slots) - 1
    at = np.int64(first) & mask
    while True:
        if slots[at, 0] == first and slots[at, 1] == second:
            return at
        if slots[at, 0] == _NONE and slots[at, 1] == _NONE:
            return -1 - at
        at = (at + 1) & mask


@inlined
def take(slots: Any, count: Any, first: Int, second: Int) -> Int:
    """The slot that holds a digest, or `-1 - slot` with the free one that was taken for it. There must be a free slot."""
    at = find(slots, first, second)
    if at >= 0:
        return at
    if first == _NONE and second == _NONE:
        first = _ONE
    slots[-1 - at, 0] = first
    slots[-1 - at, 1] = second
    count[0] += 1
    return at


@inlined
def insert(slots: Any, count: Any, first: Int, second: Int) -> bool:
    """Add one digest; return whether it was new. There must be a free slot."""
    is_new: bool = take(slots, count, first, second) < 0
    return is_new


@entry(arg.UINT_TABLE, arg.INTS, arg.INT, arg.READ_UINT_TABLE, arg.INT, arg.FLAGS)
def _add(slots: Any, count: Any, limit: Int, digests: Any, start: Int, new: Any) -> int:
    """Return the index where it ran out of room."""
    for i in range(start, len(digests)):
        if count[0] >= limit:
            return i
        new[i] = insert(slots, count, digests[i, 0], digests[i, 1])
    return len(digests)


@entry(arg.UINT_TABLE, arg.READ_UINT_TABLE, arg.FLAGS)
def _contains(slots: Any, digests: Any, found: Any) -> None:
    for i in range(len(digests)):
        found[i] = find(slots, digests[i, 0], digests[i, 1]) >= 0


@entry(arg.UINT_TABLE, arg.UINT_TABLE)
def _move(slots: Any, larger: Any) -> None:
    for i in range(len(slots)):
        if slots[i, 0] != _NONE or slots[i, 1] != _NONE:
            at = -1 - find(larger, slots[i, 0], slots[i, 1])
            larger[at, 0] = slots[i, 0]
            larger[at, 1] = slots[i, 1]
