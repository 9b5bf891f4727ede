"""Who captures changes, as far as a snapshot has to know: whether all that was committed before a moment is in the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, TypeVar

POLL_SECONDS: Final = 0.1

MomentT = TypeVar("MomentT")
"""A moment of a server, in whatever way the database proves that it is passed."""


class Capture(Protocol[MomentT]):
    """What captures one database's changes."""

    def now(self) -> MomentT:
        """A moment of now; to be asked for when what is to be proven of has been read."""
        ...

    def has_passed(self, moment: MomentT) -> bool:
        """Whether all that was committed before a moment is in the change tables."""
        ...

    def passing(self, moment: MomentT) -> Iterator[None]:
        """Steps of waiting until it has passed a moment, which the caller makes as long as he likes; at the end it has.

        Raises:
            RetriableError: it does not come there.

        """
        ...

    @property
    def patience(self) -> float:
        """For how long it is waited for at most, seconds."""
        ...

    def stuck(self, moment: MomentT, seconds: float) -> str:
        """What to say where it has not come to a moment for so long."""
        ...
