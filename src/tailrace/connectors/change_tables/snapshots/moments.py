"""Moments of one database that are waited for.

They are in order: when capture has passed one, it has passed all before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic

from tailrace.connectors.change_tables.snapshots.capture import Capture, MomentT


class Moments(Generic[MomentT]):
    """They are counted from 1."""

    def __init__(self, capture: Capture[MomentT]) -> None:
        self._capture = capture
        self._waiting: deque[tuple[int, MomentT]] = deque()
        self._newest = 0

    def note(self) -> int:
        """Note a moment of now, behind all that was read by now; its number."""
        self._newest += 1
        self._waiting.append((self._newest, self._capture.now()))
        return self._newest

    def is_passed(self, number: int) -> bool:
        """Whether all that was committed before it is in the change tables."""
        moment = self._of(number)
        if moment is None:
            return True
        is_passed = self._capture.has_passed(moment)
        if is_passed:
            self._forget(number)
        return is_passed

    def passing(self, number: int) -> Iterator[None]:
        """As `Capture.passing`."""
        moment = self._of(number)
        if moment is not None:
            yield from self._capture.passing(moment)
            self._forget(number)

    def _of(self, number: int) -> MomentT | None:
        """None where it is passed."""
        return next((moment for noted, moment in self._waiting if noted == number), None)

    def _forget(self, number: int) -> None:
        while self._waiting and self._waiting[0][0] <= number:
            self._waiting.popleft()
