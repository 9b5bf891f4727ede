"""Waiting for what a server or a thread does in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], seconds: float, complaint: Callable[[], str]) -> None:
    """Ask until it is so; `TimeoutError` with the complaint when that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(complaint())
        time.sleep(STEP_SECONDS)
