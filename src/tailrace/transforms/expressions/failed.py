"""Records that an expression fails on."""

from __future__ import annotations

from dataclasses import dataclass, field

from tailrace.changes.source_records import Mask


@dataclass(slots=True)
class Failed:
    """Which records failed, and why.

    Attributes:
        mask: shape (n,).
        reasons: with the records of each.

    """

    mask: Mask
    reasons: list[tuple[Mask, str]] = field(default_factory=list)

    def first_reason(self) -> str:
        """What is wrong with the first record that failed."""
        return min(self.reasons, key=lambda reason: int(reason[0].argmax()))[1]
