"""Polls for what a server or a thread does asynchronously."""

from __future__ import annotations

import time
from collections.abc import Callable

STEP_SECONDS = 0.05


def wait_until(condition: Callable[[], bool], seconds: float, complaint: Callable[[], str]) -> None:
    """Poll until the condition is true. Raises `TimeoutError` with the complaint if that takes longer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(complaint())
        time.sleep(STEP_SECONDS)
