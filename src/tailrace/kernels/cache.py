"""Where compiled code is kept between processes.

numba writes it beside the modules, or below the home directory where it may not write there. On an executor of a
cluster often neither can be written, and then numba refuses to start at all. So a directory of this user's among the
temporary ones is named before numba is imported; one that others can write to is never used, since what lies in it
is run.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def choose(package: Path, home: Path, temporary: Path) -> Path | None:
    """The directory to tell numba of; None where it can write to one of its own choice."""
    if _is_writable(package) or _is_writable(home):
        return None
    own = temporary / f"tailrace-{os.getuid() if hasattr(os, 'getuid') else os.getlogin()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    found = own.lstat()
    is_ours = stat.S_ISDIR(found.st_mode) and (os.name == "nt" or found.st_uid == os.getuid())
    is_private = os.name == "nt" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return own if is_ours and is_private else Path(tempfile.mkdtemp(prefix="tailrace-", dir=temporary))


def use_writable_directory() -> None:
    """Set numba's variable, unless the user has, where numba would find no place by itself."""
    if os.environ.get(VARIABLE):
        return
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 -- Path.home() raises where there is none
    chosen = choose(Path(__file__).parents[1], home, Path(tempfile.gettempdir()))
    if chosen is not None:
        os.environ[VARIABLE] = str(chosen)


def _is_writable(directory: Path) -> bool:
    """Whether files can be made in a directory."""
    return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
