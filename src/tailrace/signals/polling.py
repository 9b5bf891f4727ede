"""When channels are polled: immediately, then every `signal.poll.interval.ms`."""

from __future__ import annotations

import time
from collections.abc import Callable


class Polling:
    """Says when the next poll is due; late polls are not made up for."""

    def __init__(self, interval_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._interval = interval_ms / 1000
        self._clock = clock
        self._next = clock()

    def milliseconds_left(self) -> float:
        """Time until the next poll; 0 if it is due."""
        return max(0.0, self._next - self._clock()) * 1000

    def is_due(self) -> bool:
        """Whether to poll now; if so, the interval starts again."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + self._interval
        return True
