"""Folders of the cache that are made once: complete or missing, whoever makes them at the same time or is killed meanwhile."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

COMPLETE = "complete"


def made_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """The folder, which `fill` fills at first use, under another name. Raises what `fill` raises."""
    if not (folder / COMPLETE).exists():
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not (folder / COMPLETE).exists():
                _make(folder, fill)
    return folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file; other processes wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(folder: Path, fill: Callable[[Path], None]) -> None:
    _remove_leftovers(folder)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.unfinished-", dir=folder.parent))
    try:
        fill(unfinished)
        (unfinished / COMPLETE).touch()
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Remove what a killed process left; nobody else is working on it, because we hold the lock."""
    for leftover in (folder, *folder.parent.glob(f"{folder.name}.unfinished-*")):
        shutil.rmtree(leftover, ignore_errors=True)
