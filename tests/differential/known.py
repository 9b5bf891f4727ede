"""Every difference that is known and stays: where it shows, and the entry of `docs/reference/differences.md`
that explains it.

An entry is as narrow as it can be: a topic, a field, and the values where they are constant. A difference that shows
nowhere any more fails the suite, as does one that the page does not explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.differential.compare import Difference


@dataclass(frozen=True)
class Known:
    """A difference that stays: patterns over its topic and path, and the heading that explains it."""

    heading: str
    topic: str
    path: str
    variant: str = r".*"

    def explains(self, variant: str, difference: Difference) -> bool:
        """Is it this one?"""
        return (
            re.fullmatch(self.variant, variant) is not None
            and re.fullmatch(self.topic, difference.topic) is not None
            and re.fullmatch(self.path, difference.path) is not None
        )


KNOWN: tuple[Known, ...] = ()


def split(variant: str, differences: Iterable[Difference]) -> tuple[list[Difference], dict[Known, int]]:
    """The differences that nothing explains, and how often each known one showed."""
    unexplained: list[Difference] = []
    counts: dict[Known, int] = {}
    for difference in differences:
        known = next((k for k in KNOWN if k.explains(variant, difference)), None)
        if known is None:
            unexplained.append(difference)
        else:
            counts[known] = counts.get(known, 0) + 1
    return unexplained, counts
