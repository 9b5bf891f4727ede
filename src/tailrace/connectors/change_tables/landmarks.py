"""Landmarks: by the newest transaction that the server listed at a position, a restored database is noticed.

A database that is restored to an earlier time goes on from there with log sequence numbers of its own. Once they have passed
the position, nothing in the numbers tells that what lies before it are other transactions. Their list does: it is cleaned up
from its old end, so its newest transaction up to the position is the one that was seen there, or none is left.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn, LsnForm

_US: Final = dt.timedelta(microseconds=1)
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- as the server's times are


@dataclass(frozen=True, slots=True)
class Landmark:
    """A transaction as the server lists it.

    Attributes:
        commit: its commit LSN.
        clock_us: when it was committed, by the server's clock: microseconds since 1970-01-01T00:00, local time.

    """

    commit: Lsn
    clock_us: int

    def __str__(self) -> str:
        return f"{self.commit} of {(_EPOCH + self.clock_us * _US).isoformat(sep=' ')}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"commit": self.commit.text, "clock_us": self.clock_us}


def parse(given: Mapping[str, Any], lsns: LsnForm) -> Landmark:
    """Parse a landmark from JSON."""
    return Landmark(lsns.parse(given["commit"]), int(given["clock_us"]))
