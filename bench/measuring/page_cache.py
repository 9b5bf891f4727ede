"""Fills the memory that is free with the page cache, as it is on a machine that has been up for a while.

A hypervisor may take free memory back, and give it anew page by page. On the machine of the published figures that costs 3 to 7 µs for
4 kB, up to twenty times the page's copying: which run paid for it was chance, and the side that writes faster paid a larger part of its
time. So new pages come from what the kernel gives up: zeros of a sparse file, which need no disk and are older than all that a run needs.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import IO, Final

KEPT_FREE: Final = 1 << 30
"""Bytes: the kernel keeps some free itself."""
STEP: Final = 8 << 20
_SIZE: Final = 1 << 42  # of the sparse file; ext4 allows 2 ** 44


def fill() -> int:
    """Read as many zeros as memory was free; returns how many bytes. Not until none is free: the kernel may free as fast."""
    file = _zeros()
    room, begun = bytearray(STEP), file.tell()
    for _ in range((free_bytes() - KEPT_FREE) // STEP):
        file.readinto(room)
    return file.tell() - begun


def free_bytes() -> int:
    """The memory that holds nothing at all; 0 where that is not known."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemFree:")), 0)


@cache
def _zeros() -> IO[bytes]:
    """The file, which goes with this process. Each part of it is read once: what is read twice, the kernel would rather keep."""
    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 -- for as long as the process
    os.ftruncate(file.fileno(), _SIZE)
    return file
