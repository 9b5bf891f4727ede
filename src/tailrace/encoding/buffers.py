"""A pool of buffers for rendered text.

Fresh memory costs a page fault every 4 KiB, which takes longer than writing the text. Texts of small batches are written one
after another into the same block. A block is reused when nothing refers to it any more.

Long texts have blocks of their own. Otherwise the positions of a batch, which are written before its values, would follow the
values of the batch before, and keep that whole block in use.
"""

from __future__ import annotations

import sys
import threading
from time import monotonic
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes

_SMALLEST: Final = 1 << 22  # bytes
_LARGEST: Final = 1 << 27
"""Bytes; longer buffers belong to no block, or one large batch would occupy memory until the process ends."""
_KEPT: Final = 1 << 29
"""Bytes of a thread's blocks: several batches, since those before are in use until they are delivered."""
_FEW: Final = 8  # blocks that a thread keeps when it needs no more
_REST: Final = 10.0  # seconds after which blocks that no batch needed are given back
_LINE: Final = 64  # bytes of a cache line, to which texts are aligned


class _Blocks(threading.local):
    """The blocks of one thread; the first one is being filled, from `used` on."""

    def __init__(self) -> None:
        self._blocks: list[Bytes] = [np.empty(0, np.uint8)]
        self._used = 0
        self._changed = 0.0  # when a block was full last, by the monotonic clock

    def room(self, size: int) -> Bytes:
        if self._is_free(0):
            self._used = 0
            if len(self._blocks) > _FEW and monotonic() - self._changed > _REST:
                del self._blocks[_FEW:]
        if len(self._blocks[0]) - self._used < size:
            self._next(size)
        return self._blocks[0][self._used :]

    def keep(self, size: int) -> None:
        self._used += -(-size // _LINE) * _LINE

    def _next(self, size: int) -> None:
        self._used, self._changed = 0, monotonic()
        for k in range(len(self._blocks)):
            if len(self._blocks[k]) >= size and self._is_free(k):
                self._blocks.insert(0, self._blocks.pop(k))
                return
        self._blocks = [block for block in self._blocks if size <= len(block)]
        self._blocks.insert(0, np.empty(max(_SMALLEST, size + size // 4), np.uint8))
        while sum(map(len, self._blocks)) > _KEPT:
            self._blocks.pop()

    def _is_free(self, k: int) -> bool:
        """Whether nothing refers to a block. Arrays over a part of it refer to the block, so the reference count says so.

        The list and the argument of `getrefcount` are the two references that remain.
        """
        return sys.getrefcount(self._blocks[k]) == 2


class _Taken(threading.local):
    """The blocks of which one thread took a buffer last; None: the buffer belongs to none."""

    def __init__(self) -> None:
        self.blocks: _Blocks | None = None


_short: Final = _Blocks()
_long: Final = _Blocks()
_taken: Final = _Taken()


def take_buffer(size: int) -> Bytes:
    """At least `size` bytes with arbitrary content. Call `keep_buffer` before the next buffer is taken."""
    if size > _LARGEST:
        _taken.blocks = None
        return np.empty(size, np.uint8)
    _taken.blocks = _short if size <= _SMALLEST else _long
    return _taken.blocks.room(size)


def keep_buffer(used: int) -> None:
    """Keep the first `used` bytes of the buffer taken last; the rest is free again."""
    if _taken.blocks is not None:
        _taken.blocks.keep(used)


def grow_buffer(out: Bytes, used: int, rows: int, done: int) -> Bytes:
    """A larger buffer that begins with the first `used` bytes of `out`; its size is extrapolated from the rows so far."""
    expected = used * rows // max(done, 1)
    larger = take_buffer(max(len(out) * 2, expected + expected // 8))
    larger[:used] = out[:used]
    return larger
