"""The row decoder's results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.model import INT32
from tailrace.changes.vectors import Bytes, Vector
from tailrace.errors import LogFormatError


class RowError(LogFormatError):
    """A row event that can't be decoded; `event` is its index among the events given."""

    def __init__(self, message: str, event: int) -> None:
        super().__init__(message)
        self.event = event


@dataclass(slots=True)
class RowImages:
    """`m` row images of one table and the `n` changes they belong to, in log order.

    Everything here is in memory that is reused once nothing refers to it, and text may be in the block
    of the log: a vector keeps both alive.

    Attributes:
        vectors: the columns, m values each; None for a column that is not emitted.
        before: index of the image before each change, -1 where there is none; shape (n,).
        after: the same for the image after; shape (n,).
        op: `c`, `u` or `d` as a byte; shape (n,).
        event: index of each change's event among the events given; shape (n,).
        row: number of each change within its event, from 0; shape (n,).
        images: m.
        events_used: how many events, from `first` on, were consumed whole.
        offset: where in the event after these to go on, 0 for its beginning; pass it to the next call.
        next_row: the number of the row to go on with; pass it to the next call.
        missing: for each column that some image lacks (binlog_row_image MINIMAL or NOBLOB), a bitmap of the
            images, lowest bit first, with a bit set where the value is missing rather than null.
        unfit: how many values are null because they are out of the configured unit's range.

    """

    vectors: list[Vector | None]
    before: INT32
    after: INT32
    op: npt.NDArray[np.uint8]
    event: INT32
    row: INT32
    images: int
    events_used: int
    offset: int
    next_row: int
    missing: Mapping[int, Bytes]
    unfit: int

    def __len__(self) -> int:
        return len(self.op)

    @property
    def partial(self) -> bool:
        """Whether some image lacks columns."""
        return bool(self.missing)
