"""Files that several processes write: locks that are not waited for without end, and folders whose entries are on disk."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

LOCK_SECONDS: Final = 60  # what a lock is held for takes milliseconds: who has it for longer stands still
_POLL_SECONDS: Final = 0.02


def lock(descriptor: int, seconds: float) -> bool:
    """Lock an open file (`flock`) until it is closed; False if another process has it for so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def stands_still(path: str | Path, seconds: float) -> str:
    """What to say of a lock that was not to be had for so long."""
    return f"{path} has been held by another process for {seconds:g} s: it stands still; let it go on, or kill it"
