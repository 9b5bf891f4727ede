"""The transactions of a window: their commit LSNs, in order, and times; read once for all tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.landmarks import Landmark
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.errors import PositionLostError

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Transactions:
    """Transactions in commit order.

    Attributes:
        commit: commit LSNs, shape (n, size).
        time_us: the time in their events, microseconds since the epoch; shape (n,).
        clock_us: when they were committed, as in `Landmark`; shape (n,).
        unknown: the message for a change whose transaction is missing here.
        is_whole: whether no more follow in the window, unless as many were found as were asked for.

    """

    commit: Bytes
    time_us: Int64
    clock_us: Int64
    unknown: Callable[[Lsn], str]
    is_whole: bool = True

    def __len__(self) -> int:
        return len(self.time_us)

    @property
    def landmark(self) -> Landmark | None:
        """The newest one."""
        return Landmark(lsn_columns.lsn_at(self.commit, -1), int(self.clock_us[-1])) if len(self) else None

    def index(self, commit: Lsn) -> int | None:
        """The index of a commit LSN; None: it is not among them."""
        (found,) = lsn_columns.places_in(np.frombuffer(commit.raw, np.uint8).reshape(1, -1), self.commit)
        return int(found) if found >= 0 else None

    def places(self, commit: Bytes) -> Int64:
        """The indices of these commit LSNs, which ascend.

        Raises:
            PositionLostError: one is missing.

        """
        places = lsn_columns.places_in(commit, self.commit)
        if len(places) and places.min() < 0:
            lost = lsn_columns.lsn_at(commit, int(places.argmin()))
            raise PositionLostError(self.unknown(lost))
        return places
