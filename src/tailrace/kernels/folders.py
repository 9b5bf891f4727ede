"""Folders for compiled kernels: where they are looked for, and where new ones go.

Beside the package, where an image has them for every user; a checkout has them in the user's cache folder, for all checkouts
of the same sources. Else they are in that folder too, or in a private one below the temporary folder, as executors of a cluster
often have nothing else. `NUMBA_CACHE_DIR` names the only one. In it is a folder for
each Python, numba and processor, so that many of them can share a home.

The files are executed. So a folder or file that other users can write to is never used, nor one of another user, unless that is
root or the owner of the package, whose code runs here anyway. Where others have such a folder in a place that users share, this
user gets one beside it. Nothing here imports numba.
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

from tailrace.cache import cache_folder, private_folder, this_user
from tailrace.kernels.baseline import CPU_FEATURES, CPU_NAME, baseline
from tailrace.trusted_files import is_written_only_by

VARIABLE: Final = "NUMBA_CACHE_DIR"
_SOURCES: Final = Path(__file__).parents[3]
_MADE_OF: Final = ("numba", "llvmlite", "numpy")


def folders() -> list[Path]:
    """Where compiled kernels may be, in the order in which they are looked for; some do not exist."""
    return [folder for base in _bases() if (folder := _own_in(base)) is not None]


def writable_folder() -> Path | None:
    """Where new ones go: the first of them that can be made and written to; None: there is none."""
    return next((folder for folder in folders() if _is_made(folder)), None)


def is_trusted(path: Path) -> bool:
    """Whether a folder or file is there that only this user, root or the package's owner can have written."""
    try:
        found = path.lstat()  # not `stat`: another user may have put a symbolic link there
    except OSError:
        return False
    if stat.S_ISLNK(found.st_mode):
        return False
    return os.name == "nt" or is_written_only_by(_owners(), found)


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


def _own_in(base: Path) -> Path | None:
    """The folder below a place: the one that is trusted or not there yet; None where both names are others'."""
    names = (environment(), f"{environment()}-{this_user()}")
    return next((base / name for name in names if is_trusted(base / name) or not os.path.lexists(base / name)), None)


def _is_made(folder: Path) -> bool:
    """Whether files can be created in a folder, which is made if it is missing."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o755, exist_ok=True)
    except OSError:
        return False
    return is_trusted(folder) and os.access(folder, os.W_OK | os.X_OK)


@cache
def _owners() -> frozenset[int]:
    return frozenset({os.getuid(), 0, Path(__file__).stat().st_uid})
