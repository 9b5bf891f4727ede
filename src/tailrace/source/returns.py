"""How often a run claims its lanes again that it lost, though it has the target's lease.

A run that stood still while it claimed lanes goes on with that when it wakes, and only then finds that another run has
replaced it. It so fences the one that delivers now, once or twice. That one has the lease, and takes its lanes back.
"""

from __future__ import annotations

import time
from math import inf
from typing import Final

MOST: Final = 5
QUIET_SECONDS: Final = 600.0  # whoever comes back after that is another one


class Returns:
    """Counts them."""

    def __init__(self) -> None:
        self._times = 0
        self._last = -inf

    def another(self) -> bool:
        """Count one more; False if too many came in a row."""
        now = time.monotonic()
        self._times = self._times + 1 if now - self._last < QUIET_SECONDS else 1
        self._last = now
        return self._times <= MOST
