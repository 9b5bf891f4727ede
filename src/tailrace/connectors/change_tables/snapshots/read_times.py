"""Noted times of one database that capture has to pass.

They ascend: if capture has passed one, it has passed all earlier ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic

from tailrace.connectors.change_tables.snapshots.capture import Capture, MomentT


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
        """Wait as `Capture.wait_until_passed` does."""
        moment = self._of(number)
        if moment is not None:
            yield from self._capture.wait_until_passed(moment)
            self._forget(number)

    def _of(self, number: int) -> MomentT | None:
        """The noted time; None if it is passed."""
        return next((moment for noted, moment in self._waiting if noted == number), None)

    def _forget(self, number: int) -> None:
        while self._waiting and self._waiting[0][0] <= number:
            self._waiting.popleft()
