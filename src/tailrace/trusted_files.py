"""Files that are run: only those that this user has written, where nobody else could have, are ever used."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection
from pathlib import Path


def is_trusted(file: Path) -> bool:
    """Whether a file is there that belongs to this user, in a folder of this user's, and no other can write to either."""
    return _is_private(file, stat.S_ISREG) and _is_private(file.parent, stat.S_ISDIR)


def is_written_only_by(owners: Collection[int], found: os.stat_result) -> bool:
    """Whether a file or folder belongs to one of these users, and no other can write to it."""
    return found.st_uid in owners and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def trusted_folder(folder: Path) -> None:
    """Make a folder that only this user can enter.

    Raises:
        OSError: it can't be made; or it is there, and other users can write to it.

    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_private(folder, stat.S_ISDIR):
        raise PermissionError(1, "other users could write to it, and what they wrote would be run", str(folder))


def write_trusted(file: Path, text: str) -> bool:
    """Write a file that can be trusted from then on; whether that was possible."""
    new = file.with_name(f"unfinished-{os.getpid()}{file.suffix}")
    try:
        trusted_folder(file.parent)
        new.write_text(text)
        new.chmod(0o600)
        new.replace(file)  # another process never sees half of it
    except (OSError, UnicodeError):  # the latter for the name of a file that is no text
        new.unlink(missing_ok=True)
        return False
    return True


def _is_private(path: Path, is_kind: Callable[[int], bool]) -> bool:
    try:
        found = path.lstat()  # not `stat`: another user may have put a symbolic link there
    except OSError:
        return False
    return is_kind(found.st_mode) and is_written_only_by({os.getuid()}, found)
