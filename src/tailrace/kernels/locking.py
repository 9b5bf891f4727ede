"""A lock between processes of one machine, so that what takes long is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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
    if not _HAS_LOCKS:
        yield
        return
    try:
        handle = path.open("w")
    except OSError:
        yield
        return
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass
        yield
        path.unlink(missing_ok=True)
