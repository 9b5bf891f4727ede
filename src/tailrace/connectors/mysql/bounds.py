"""Between which positions of the log records are wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.connectors.mysql.positions import BinlogPosition


@dataclass(slots=True)
class Bounds:
    """An event counts by where it starts.

    Attributes:
        delivered: everything before it is delivered already; of the events that start at it (a compressed transaction
            has several) as many as its `row` says. None: nothing is.
        until: file number and offset; nothing that starts there or later is wanted. None: no end.

    """

    delivered: BinlogPosition | None
    until: tuple[int, int] | None

    def wanted(
        self, era: int, file: int, starts: npt.NDArray[np.int64], rank: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Which of these events are within the bounds.

        Args:
            era: of all of them.
            file: the number of the file that they stand in.
            starts: their offsets.
            rank: the rank of each among the events with the same offset, from 0.

        """
        within = np.ones(len(starts), np.bool_)
        done = self.delivered
        if done is not None and (era, file) < (done.era, done.file):
            within[:] = False
        elif done is not None and (era, file) == (done.era, done.file):
            within &= (starts > done.pos) | ((starts == done.pos) & (rank >= done.row))
        if self.until is not None and file >= self.until[0]:
            within &= (starts < self.until[1]) & (file == self.until[0])
        return within

    def includes(self, era: int, file: int, start: int) -> bool:
        """Whether one event is within the bounds."""
        return bool(self.wanted(era, file, np.array([start]), np.zeros(1, np.int64))[0])

    def reached(self, file: int, position: int) -> bool:
        """Whether everything up to the end has been read."""
        return self.until is not None and (file, position) >= self.until
