"""Another attempt after a retriable error, and the wait before it, which a stop cuts short."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tailrace.errors import RetriableError, StoppedError
from tailrace.source.job import Pace

T = TypeVar("T")

STEP_SECONDS = 0.2


def retrying(
    pace: Pace, question: Callable[[], T], notice: Callable[[str], None], stopping: Callable[[], bool] = lambda: False
) -> T:
    """The answer, after as many attempts as the pace allows; `notice` is told of each failure.

    Raises:
        StoppedError: it was asked to stop while it waited for the next attempt.

    """
    failures = 0
    while True:
        try:
            return question()
        except RetriableError as error:
            failures += 1
            if 0 <= pace.max_retries < failures:
                raise
            notice(f"{error}; trying again in {pace.retry_seconds:g} s")
            if paused(pace.retry_seconds, stopping):
                raise StoppedError("stopped as asked, while waiting for the next attempt") from error


def paused(seconds: float, stopping: Callable[[], bool]) -> bool:
    """Wait for so many seconds, or until asked to stop; whether it was."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not stopping():
        time.sleep(min(STEP_SECONDS, seconds))
    return stopping()
