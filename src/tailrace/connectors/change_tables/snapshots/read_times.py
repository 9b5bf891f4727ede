"""Noted times of one database that capture has to pass.

They ascend: if capture has passed one, it has passed all earlier ones.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator
from typing import Final, Generic

from tailrace.connectors.change_tables.snapshots.capture import Capture, MomentT

TOLD: Final = 1 / 4  # of the longest wait, after which it is told that one waits

log = logging.getLogger(__name__)


class ReadTimes(Generic[MomentT]):
    """The noted times, numbered from 1."""

    def __init__(self, capture: Capture[MomentT]) -> None:
        self._capture = capture
        self._waiting: deque[tuple[int, MomentT]] = deque()
        self._newest = 0

    def note(self) -> int:
        """Note the current time, after everything that was read so far; returns its number."""
        self._newest += 1
        self._waiting.append((self._newest, self._capture.now()))
        return self._newest

    def is_passed(self, number: int) -> bool:
        """Whether everything committed before a noted time is in the change tables."""
        moment = self._of(number)
        if moment is None:
            return True
        is_passed = self._capture.has_passed(moment)
        if is_passed:
            self._forget(number)
        return is_passed

    def wait_until_passed(self, number: int) -> Iterator[None]:
        """Wait as `Capture.wait_until_passed` does; a long wait is told once."""
        moment = self._of(number)
        if moment is None:
            return
        begun, is_told = time.monotonic(), False
        for _ in self._capture.wait_until_passed(moment):
            waited = time.monotonic() - begun
            if not is_told and waited > TOLD * self._capture.patience:
                is_told = True
                log.warning("the snapshot waits: %s", self._capture.stuck(moment, round(waited)))
            yield
        self._forget(number)

    def _of(self, number: int) -> MomentT | None:
        """The noted time; None if it is passed."""
        return next((moment for noted, moment in self._waiting if noted == number), None)

    def _forget(self, number: int) -> None:
        while self._waiting and self._waiting[0][0] <= number:
            self._waiting.popleft()
