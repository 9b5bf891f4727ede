"""The time that a stop may take, counted from its request."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

STOP_SECONDS: Final = 20.0  # Kubernetes kills after 30
COMMIT_SECONDS: Final = 5.0  # at least, for the last commit: a killed task leaves a transaction open


class StopTime:
    """Whether to stop, and how much is left of the time for it."""

    def __init__(self, stop_requested: Callable[[], bool], seconds: float | Callable[[], float] = STOP_SECONDS) -> None:
        """`seconds`: those that it may take; a function is asked when the stop is requested."""
        self._stop_requested = stop_requested
        self._seconds = seconds if callable(seconds) else lambda: seconds
        self._ends_at: float | None = None

    def stop_requested(self) -> bool:
        """Whether to stop; the time begins with the first True."""
        if self._ends_at is None and self._stop_requested():
            self._ends_at = time.monotonic() + self._seconds()
        return self._ends_at is not None

    @property
    def left(self) -> float:
        """Seconds left."""
        return self._seconds() if self._ends_at is None else max(0.0, self._ends_at - time.monotonic())

    @property
    def for_commit(self) -> float:
        """Seconds that the last commit may take."""
        return max(self.left, COMMIT_SECONDS)

    def for_more(self) -> StopTime:
        """For further work within the remaining time, which has its own stop after that."""
        left = self.left
        end = time.monotonic() + left * 3 / 4
        return StopTime(lambda: time.monotonic() >= end, left / 4)  # the last quarter is for the commit of that work
