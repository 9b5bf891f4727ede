"""A folder for a task's private files, such as key stores: gone at its end, or, if it is killed, with the next task there."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "tailrace-task-"
_LOCK: Final = "lock"
_YOUNG_SECONDS: Final = 60.0  # a folder is there for a moment before it is locked


@contextmanager
def task_folder() -> Iterator[Path]:
    """A folder that only this user can enter, until the block ends."""
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, Path(folder, _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until this process ends, however it does
        yield Path(folder)


def _remove_left() -> None:
    """Remove what tasks of this user left that were killed: nobody holds its lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another's, in use, or removed by now
            found = folder.lstat()
            if found.st_uid == os.getuid() and found.st_mtime < time.time() - _YOUNG_SECONDS:
                with (folder / _LOCK).open() as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder)
