"""Blocks of memory that are used again as soon as nobody holds anything in them.

A batch of results is one block; vectors, and the Arrow arrays and polars series made of them, keep it alive
without a copy. Fresh memory costs a page fault every four kilobytes, which is as much as decoding it, so
blocks are kept, and one is handed out again once no other reference to it is left.
"""

from __future__ import annotations

import sys
import threading
from typing import Final

import numpy as np

from tailrace.changes.vectors import Bytes

_SMALLEST: Final = 1 << 14
_LARGEST: Final = 1 << 26
"""Larger blocks are not kept."""
_KEPT: Final = 6
"""How many blocks of each size are kept: as many as one task uses at a time."""
_UNUSED: Final = 2
"""References to a block that only the pool has: its list and the argument of `getrefcount`."""


class Pool:
    """Provides blocks of at least the requested size; their content is arbitrary."""

    def __init__(self) -> None:
        self._blocks: dict[int, list[Bytes]] = {}
        self._lock = threading.Lock()

    def take(self, size: int) -> Bytes:
        """A block without other references."""
        size = max(_SMALLEST, 1 << (size - 1).bit_length())
        if size > _LARGEST:
            return np.empty(size, np.uint8)
        with self._lock:
            blocks = self._blocks.setdefault(size, [])
            for i in range(len(blocks)):
                if sys.getrefcount(blocks[i]) == _UNUSED:
                    return blocks[i]
            block = np.empty(size, np.uint8)
            if len(blocks) < _KEPT:
                blocks.append(block)
            return block


POOL: Final = Pool()
