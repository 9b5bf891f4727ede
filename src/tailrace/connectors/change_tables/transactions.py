"""The transactions of a window: their commits, in order, and when they were; read once for all tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Bytes
from tailrace.connectors.change_tables import lsn_columns
from tailrace.connectors.change_tables.lsn import Lsn
from tailrace.errors import PositionLostError

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Transactions:
    """Transactions in the order of their commits.

    Attributes:
        commit: commit LSNs, shape (n, size).
        time_us: the time that Debezium tells of each, microseconds since the epoch; shape (n,).
        unknown: what to say where a change table has changes of a transaction that is not among them.

    """

    commit: Bytes
    time_us: Int64
    unknown: Callable[[Lsn], str]

    def __len__(self) -> int:
        return len(self.time_us)

    def places(self, commit: Bytes) -> Int64:
        """Where these commits stand; they ascend.

        Raises:
            PositionLostError: one is not there.

        """
        places = lsn_columns.places_in(commit, self.commit)
        if len(places) and places.min() < 0:
            lost = lsn_columns.lsn_at(commit, int(places.argmin()))
            raise PositionLostError(self.unknown(lost))
        return places
