"""The protocol of servers, as far as a run of one side needs them."""

from __future__ import annotations

from typing import Protocol


class Servers(Protocol):
    """The servers of a measurement."""

    @property
    def address(self) -> str:
        """The broker's."""

    @property
    def patience(self) -> float:
        """The maximum seconds that a run waits for a quiet machine."""

    def pids(self) -> dict[str, int]:
        """The processes to account for apart."""
