"""The cache folder, and small programs and settings in it."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder for files that tailrace can recreate."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tailrace"


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
