"""What is prepared: a list, for the command line and the start of a run."""

from __future__ import annotations

from typing import Final, Protocol

from tailrace.preparation import kernels


class Report(Protocol):
    """How far a preparation is, for a screen."""

    def total(self, count: int) -> None:
        """How many parts there are."""

    def done(self, what: str) -> None:
        """One of them is done."""

    def waiting(self) -> None:
        """Another process does the same, and is waited for."""


class Preparation(Protocol):
    """One thing to be made ahead. What it makes depends on versions; an outdated one is not there."""

    name: str
    """What it makes, for people, in the plural."""
    verb: str
    """What is done meanwhile: "compiling"."""

    def is_done(self) -> bool:
        """Whether it is there; takes milliseconds."""

    def make(self, report: Report) -> None:
        """Make it; safe while others do the same.

        Raises:
            TailraceError: it can't be made.

        """


PREPARATIONS: Final[tuple[Preparation, ...]] = (kernels.Kernels(),)
