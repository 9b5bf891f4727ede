"""Where numba stores compiled code between processes.

numba writes it beside the modules, or below the home directory if it can't write there. On a cluster's executors often
neither is writable, and numba then refuses to start. In that case a directory of this user below the temporary one is chosen
before numba is imported. A directory that other users can write to is never used, because the files in it are executed.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def choose(package: Path, home: Path, temporary: Path) -> Path | None:
    """The directory to configure; None if numba can write to one of its own choice."""
    if _is_writable(package) or _is_writable(home):
        return None
    own = temporary / f"tailrace-{os.getuid() if hasattr(os, 'getuid') else os.getlogin()}"
    try:
        own.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    found = own.lstat()  # not `stat`: another user may have put a symbolic link there
    is_ours = stat.S_ISDIR(found.st_mode) and (os.name == "nt" or found.st_uid == os.getuid())
    is_private = os.name == "nt" or not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return own if is_ours and is_private else Path(tempfile.mkdtemp(prefix="tailrace-", dir=temporary))


def use_writable_directory() -> None:
    """Set numba's environment variable if numba would find no writable directory; one that the user has set is kept."""
    if os.environ.get(VARIABLE):
        return
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 -- Path.home() raises where there is none
    chosen = choose(Path(__file__).parents[1], home, Path(tempfile.gettempdir()))
    if chosen is not None:
        os.environ[VARIABLE] = str(chosen)


def _is_writable(directory: Path) -> bool:
    """Whether files can be created in a directory."""
    return directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
