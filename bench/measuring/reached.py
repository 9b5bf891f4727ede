"""What a run of one side must know of the servers that it works on."""

from __future__ import annotations

from typing import Protocol


class Servers(Protocol):
    """The servers of a measurement, as far as a run must know them."""

    @property
    def address(self) -> str:
        """The broker's."""

    @property
    def patience(self) -> float:
        """How many seconds a run waits at most for a quiet machine."""

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
