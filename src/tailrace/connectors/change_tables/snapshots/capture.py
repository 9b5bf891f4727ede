"""The capture process, as far as a snapshot needs it: whether the change tables have all commits before a given time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, TypeVar

POLL_SECONDS: Final = 0.1

MomentT = TypeVar("MomentT")
"""A time on the server, in the form by which the database proves that capture has passed it."""


class Capture(Protocol[MomentT]):
    """The process that captures one database's changes."""

    def now(self) -> MomentT:
        """The current time; call it after the read that it is to prove something about."""
        ...

    def has_passed(self, moment: MomentT) -> bool:
        """Whether everything committed before a time is in the change tables."""
        ...

    def wait_until_passed(self, moment: MomentT) -> Iterator[None]:
        """Wait until capture has passed a time, in steps that the caller makes as long as it wants.

        Raises:
            RetriableError: capture does not pass it in time.

        """
        ...

    @property
    def patience(self) -> float:
        """The longest wait, in seconds."""
        ...

    def stuck(self, moment: MomentT, seconds: float) -> str:
        """The message if capture has not passed a time for so long."""
        ...
