"""The cache folder, and small programs and settings in it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from tailrace.errors import ConfigError
from tailrace.trusted_files import is_written_only_by


def cache_folder() -> Path:
    """The folder for files that tailrace can recreate. It may be one that can't be written to, such as an image's."""
    given = os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "tailrace"
    try:
        return Path.home() / ".cache" / "tailrace"
    except RuntimeError:  # neither HOME nor an entry for this user, as some containers have it
        return _below(Path(tempfile.gettempdir()))


def private_folder(temporary: Path) -> Path | None:
    """A private folder below the one that all users share; None if it belongs to another user, or others can write to it."""
    own = _below(temporary)
    try:
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()  # not `stat`: another user may have put a symbolic link there
    except OSError:
        return None
    is_private = os.name == "nt" or is_written_only_by({os.getuid()}, found)
    return own if stat.S_ISDIR(found.st_mode) and is_private else None


def keep(path: Path, text: str, *, mode: int = 0o644) -> Path:
    """Make sure that a file has this text; safe against concurrent processes. Returns its path."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        # written under another name and renamed: another process never sees half a file
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.write_text(text)
        new.chmod(mode)
        new.replace(path)
    return path


def keep_somewhere(place: str, text: str, *, mode: int = 0o644) -> Path:
    """The same for a place in the cache; where that can't be written, in a private folder below the temporary one.

    Raises:
        ConfigError: neither can be written to.

    """
    return _somewhere(lambda folder: keep(folder / place, text, mode=mode))


def emptied(place: str) -> Path:
    """An empty file for this user's eyes only; where that can't be, as `keep_somewhere`.

    Raises:
        ConfigError: neither can be written to.

    """
    return _somewhere(lambda folder: _emptied(folder / place))


def _emptied(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    return path


def _somewhere(make: Callable[[Path], Path]) -> Path:
    """What is made in the cache, or in the private folder instead."""
    folder = cache_folder()
    try:
        try:
            return make(folder)
        except OSError:
            private = private_folder(Path(tempfile.gettempdir()))
            if private is None:
                raise
            folder = private
            return make(folder)
    except OSError as error:
        raise ConfigError(
            f"small files that a run needs can be kept nowhere: {error.filename or folder}: {error.strerror or error}; "
            "set XDG_CACHE_HOME or TMPDIR to a folder that can be written to"
        ) from error


def _below(temporary: Path) -> Path:
    return temporary / f"tailrace-{this_user()}"


def this_user() -> str:
    """What tells this user's folders from those of others, where users share a place."""
    return str(os.getuid()) if hasattr(os, "getuid") else os.getlogin()
