"""A lock between processes of one machine, so that what takes long is done once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

try:
    import fcntl

    _HAS_LOCKS = True
except ImportError:  # Windows, where each process does it by itself
    _HAS_LOCKS = False


@contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a lock that a file stands for; `waiting` is called if another process has it.

    Where there are no locks (Windows, some network file systems) it is not held: what it guards is then done more than once.
    """
    handle = _taken(path, waiting) if _HAS_LOCKS else None
    if handle is None:
        yield
        return
    with handle:
        yield
        path.unlink(missing_ok=True)


def _taken(path: Path, waiting: Callable[[], None]) -> IO[str] | None:
    """The file, locked; None where that can't be."""
    while True:
        try:
            handle = path.open("w")
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            handle.close()
            return None
        if _is_at(handle, path):
            return handle
        handle.close()  # who had it has removed it, and a third may have another one of this name by now


def _is_at(handle: IO[str], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle.fileno()), path.stat())
    except FileNotFoundError:
        return False
