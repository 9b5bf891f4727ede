"""The folder of what tailrace can make again, and small programs and settings that it keeps there."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where tailrace keeps what it can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tailrace"


def keep(path: Path, text: str, *, mode: int = 0o644) -> Path:
    """Have a file with this text there; other processes may do the same at once. Returns its path."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.{os.getpid()}")
        new.write_text(text)
        new.chmod(mode)
        new.replace(path)
    return path
