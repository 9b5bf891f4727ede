"""Folders for compiled kernels: where they are looked for, and where new ones go.

Beside the package, where an image has them for every user; a checkout has them in the user's cache folder, for all checkouts
of the same sources. Else they are in that folder too, or in a private one below the temporary folder, as executors of a cluster
often have nothing else. `NUMBA_CACHE_DIR` names the only one. In it is a folder for
each Python, numba and processor, so that many of them can share a home. A folder that other users can write to is never used,
because the files in it are executed. Nothing here imports numba.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tailrace.cache import cache_folder
from tailrace.kernels.baseline import CPU_FEATURES, CPU_NAME, baseline

VARIABLE: Final = "NUMBA_CACHE_DIR"
_SOURCES: Final = Path(__file__).parents[3]
_MADE_OF: Final = ("numba", "llvmlite", "numpy")


def folders() -> list[Path]:
    """Where compiled kernels may be, in the order in which they are looked for; some do not exist."""
    return [base / environment() for base in _bases()]


def writable_folder() -> Path | None:
    """Where new ones go: the first of them that can be made and written to; None: there is none."""
    for base in _bases():
        folder = base / environment()
        if _is_made(folder):
            return folder
    return None


def private_folder(temporary: Path) -> Path | None:
    """A private folder below the one that all users share; None if it belongs to another user, or others can write to it."""
    own = temporary / f"tailrace-{os.getuid() if hasattr(os, 'getuid') else os.getlogin()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()  # not `stat`: another user may have put a symbolic link there
    except OSError:
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and (os.name == "nt" or found.st_uid == os.getuid())
    is_private = os.name == "nt" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return own if is_ours and is_private else None


@cache
def environment() -> str:
    """What code compiled here depends on besides its sources, as a folder's name."""
    target = os.environ.get(CPU_NAME) or baseline() or _host()
    parts = [sys.version, sys.implementation.cache_tag or "", sys.platform, target, os.environ.get(CPU_FEATURES, "")]
    parts += [version(name) for name in _MADE_OF]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
    return f"{sys.implementation.cache_tag}-numba-{version('numba')}-{digest}"


def _host() -> str:
    from llvmlite import binding

    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def _bases() -> Iterator[Path]:
    given = os.environ.get(VARIABLE)
    if given:
        yield Path(given)
        return
    if not _is_checkout():
        yield Path(__file__).parent / "__pycache__"
    yield cache_folder() / "kernels"
    own = private_folder(Path(tempfile.gettempdir()))
    if own is not None:
        yield own / "kernels"


def _is_checkout() -> bool:
    """Whether the package is where it is worked on, and not installed."""
    return (_SOURCES / "pyproject.toml").exists()


def _is_made(folder: Path) -> bool:
    """Whether files can be created in a folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)
