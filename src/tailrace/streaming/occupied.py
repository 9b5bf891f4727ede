"""The cores that the streams of one session hold: each follows the log with a task for each lane, which never end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_lock: Final = threading.Lock()
_lanes: Final[dict[str, list[int]]] = {}
"""The lanes of each stream that follows its log, by application."""


def others(application: str) -> int:
    """How many cores the streams hold."""
    with _lock:
        return sum(_lanes.get(application, ()))


@contextmanager
def held(application: str, lanes: int) -> Iterator[None]:
    """Hold as many until the end of the block."""
    with _lock:
        _lanes.setdefault(application, []).append(lanes)
    try:
        yield
    finally:
        with _lock:
            _lanes[application].remove(lanes)
            if not _lanes[application]:
                del _lanes[application]
