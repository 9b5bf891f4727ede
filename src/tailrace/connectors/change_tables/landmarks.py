"""Landmarks: by the newest transaction that the server listed at a position, a restored database is noticed.

A database that is restored to an earlier time goes on from there with log sequence numbers of its own. Once they have passed
the position, nothing in the numbers tells that what lies before it are other transactions. Their list does: it is cleaned up
from its old end, so its newest transaction up to the position is the one that was seen there, or none is left. Where a list was
made at another time, it is another list: of another database, or of one where capture was set up anew.

Where the list is emptied although it may not have been cleaned up yet, capture has begun anew, and changes are missing.
Cleaning up goes by the server's clock: where that was set back, a newer transaction may go before an older one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tailrace.connectors.change_tables.lsn import Lsn, LsnForm

_US: Final = dt.timedelta(microseconds=1)
_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 -- as the server's times are


@dataclass(frozen=True, slots=True)
class Landmark:
    """The newest transaction that a server lists up to a position, and its list.

    Times are by the server's clock: microseconds since 1970-01-01T00:00, local time.

    Attributes:
        commit: its commit LSN; None: the list has none up to there.
        clock_us: when it was committed.
        list_us: when the list was made; None: that says nothing.
        kept_us: how long the list keeps transactions at least, in microseconds, as it was set when this one was seen; 0: it
            was seen to be gone. None: the list does not tell.

    """

    commit: Lsn | None
    clock_us: int = 0
    list_us: int | None = None
    kept_us: int | None = None

    @property
    def list_made(self) -> str:
        """When the list was made, for people."""
        return "" if self.list_us is None else _shown(self.list_us)

    def __str__(self) -> str:
        return "none" if self.commit is None else f"{self.commit} of {_shown(self.clock_us)}"

    def passed_by(self, newer: Landmark | None) -> Landmark:
        """The landmark behind this one with a newer transaction; None: there is none."""
        return self if newer is None else replace(newer, list_us=self.list_us, kept_us=self.kept_us)

    def to_dict(self) -> dict[str, Any]:
        """As JSON, without what is unknown."""
        found: dict[str, Any] = {} if self.commit is None else {"commit": self.commit.text, "clock_us": self.clock_us}
        times = {"list_us": self.list_us, "kept_us": self.kept_us}
        return found | {name: time for name, time in times.items() if time is not None}


def parse(given: Mapping[str, Any], lsns: LsnForm) -> Landmark:
    """Parse a landmark from JSON."""
    commit = lsns.parse(given["commit"]) if "commit" in given else None
    made, kept = (None if given.get(name) is None else int(given[name]) for name in ("list_us", "kept_us"))
    return Landmark(commit, int(given.get("clock_us", 0)), made, kept)


def _shown(clock_us: int) -> str:
    return (_EPOCH + clock_us * _US).isoformat(sep=" ")
