"""Gives pages of large libraries back that this process has touched while it loaded them, and will hardly need again."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Final

_MAPS: Final = Path("/proc/self/smaps")
_LEAST: Final = 1 << 20
_CODE: Final = "r-xp"
_CHANGED: Final = "Anonymous:"  # of pages that are no longer what is in the file, and would be lost
_MADV_DONTNEED: Final = 4  # madvise(2)


def give_back() -> int:
    """Unmap the code of shared libraries; returns of how many bytes.

    What runs afterwards is mapped again, out of the system's cache of the file. `llvmlite` alone has some 60 MB, which compiled
    code that comes from a cache needs only to be loaded.
    """
    if sys.platform != "linux":
        return 0
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    size = 0
    try:
        maps = _MAPS.read_text(errors="replace")
    except OSError:  # not to be had everywhere
        return 0
    for first, last in _libraries(maps):
        if last - first >= _LEAST and madvise(first, last - first, _MADV_DONTNEED) == 0:
            size += last - first
    return size


def _libraries(maps: str) -> list[tuple[int, int]]:
    """Where the code of shared libraries is that nobody has changed, out of proc_pid_smaps(5)."""
    found: list[tuple[int, int]] = []
    is_code = False
    for line in maps.splitlines():
        place, rights, *others = line.split(maxsplit=5)
        if place == _CHANGED:
            if is_code and rights != "0":
                found.pop()
        elif not place.endswith(":"):
            is_code = rights == _CODE and len(others) == 4 and ".so" in others[3]
            if is_code:
                first, _, last = place.partition("-")
                found.append((int(first, 16), int(last, 16)))
    return found
