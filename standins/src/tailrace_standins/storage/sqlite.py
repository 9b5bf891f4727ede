"""The SQLite file of a stand-in's tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

_SETTINGS: Final = (
    "journal_mode=WAL",
    "synchronous=OFF",  # survives a crash of the server's process, and a stand-in need not survive more
    "temp_store=MEMORY",
    "cache_size=-16000",
    "case_sensitive_like=ON",
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection for one session; `isolation_level=None` leaves BEGIN and COMMIT to the caller."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=60, cached_statements=512
    )
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    return connection
