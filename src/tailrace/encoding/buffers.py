"""Buffers for text that is made over and over: kept, and used again once nobody holds what was in them.

Fresh memory costs a page fault every 4 KiB, which is more than writing the text takes. Texts of small batches stand
one after the other in the same block, and a block is used again when nothing in it is held any more.

Long texts have blocks of their own: the positions of a batch, which come before its values, would otherwise stand behind the
values of the batch before and hold that one's whole block.
"""

from __future__ import annotations

import sys
import threading
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes

_SMALLEST: Final = 1 << 22
_KEPT: Final = 8
_LARGEST: Final = 1 << 27
"""Longer blocks are not kept: one long transaction must not hold memory for ever."""
_LINE: Final = 64


class _Blocks(threading.local):
    """The blocks of one thread; the first one is written to now, from `used` on."""

    def __init__(self) -> None:
        self._blocks: list[Bytes] = [np.empty(0, np.uint8)]
        self._used = 0

    def room(self, size: int) -> Bytes:
        if self._is_free(0):
            self._used = 0
            if len(self._blocks[0]) > _LARGEST:
                self._blocks[0] = np.empty(0, np.uint8)
        if len(self._blocks[0]) - self._used < size:
            self._next(size)
        return self._blocks[0][self._used :]

    def keep(self, size: int) -> None:
        self._used += -(-size // _LINE) * _LINE

    def _next(self, size: int) -> None:
        self._used = 0
        for k in range(len(self._blocks)):
            if len(self._blocks[k]) >= size and self._is_free(k):
                self._blocks.insert(0, self._blocks.pop(k))
                return
        self._blocks = [block for block in self._blocks if size <= len(block) <= _LARGEST][: _KEPT - 1]
        self._blocks.insert(0, np.empty(max(_SMALLEST, size + size // 4), np.uint8))

    def _is_free(self, k: int) -> bool:
        """Whether nobody holds anything of a block: the list and the argument are the only references."""
        return sys.getrefcount(self._blocks[k]) == 2


class _Taken(threading.local):
    """The blocks of which one thread took a buffer last."""

    def __init__(self) -> None:
        self.blocks = _short


_short: Final = _Blocks()
_long: Final = _Blocks()
_taken: Final = _Taken()


def take_buffer(size: int) -> Bytes:
    """At least `size` bytes that nobody else holds; their content is arbitrary. Then see `keep_buffer`."""
    _taken.blocks = _short if size <= _SMALLEST else _long
    return _taken.blocks.room(size)


def keep_buffer(used: int) -> None:
    """The buffer taken last holds so many bytes; the rest of it is free again."""
    _taken.blocks.keep(used)


def grow_buffer(out: Bytes, used: int, rows: int, done: int) -> Bytes:
    """A larger buffer with the first `used` bytes of `out`: sized by what the rows so far have taken."""
    expected = used * rows // max(done, 1)
    larger = take_buffer(max(len(out) * 2, expected + expected // 8))
    larger[:used] = out[:used]
    return larger
