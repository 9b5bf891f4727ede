"""The file that a stand-in's tables lie in."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

_SETTINGS: Final = (
    "journal_mode=WAL",
    "synchronous=OFF",
    "temp_store=MEMORY",
    "cache_size=-16000",
    "case_sensitive_like=ON",
)


def connect(path: Path) -> sqlite3.Connection:
    """SQLite for one session; statements and commits are said in full (`isolation_level` None)."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=60, cached_statements=512
    )
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection
