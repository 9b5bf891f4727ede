"""Changes: one table's row changes in log order, as columns.

A row change has up to two row images. The images of a batch stand one after the other in the same columns, and
`before` and `after` say which image belongs to which change, so that a column policy is applied once to all of them
and an update's two images need no second set of columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Vector

INT32 = npt.NDArray[np.int32]

CREATE, UPDATE, DELETE, TRUNCATE, READ = (ord(c) for c in "cudtr")


@dataclass(slots=True)
class Changes:
    """`n` changes of one table in one structure version, in log order.

    Attributes:
        columns: the row images, a vector of m values for each column of the structure; None where it is not wanted.
        before: index of the image before each change, -1 where there is none; shape (n,).
        after: the same for the image after; shape (n,).
        op: the operation (`CREATE`, `UPDATE`, `DELETE`, `TRUNCATE`, `READ`); shape (n,).
        source: what varies within the source block: a vector of n values for each such field of its schema.
        source_batch: fields of it that are the same for the whole batch, a vector of one value each (the file's name).
        source_constants: its other fields, the same for ever (None, str, int or bool).
        ts_us: when the change was committed, microseconds since the epoch; shape (n,).
        position: the pieces of the position's text (see `positions.Template`); vectors of n integers.
        transaction: index of each change's transaction in the batch of the log, shape (n,).
        log_order: the rank of each change among all changes of the batch of the log, shape (n,).
        transaction_ids: the text id of each change's transaction; None unless transaction metadata is asked for.

    """

    columns: list[Vector | None]
    before: INT32
    after: INT32
    op: npt.NDArray[np.uint8]
    source: Mapping[str, Vector]
    source_batch: Mapping[str, Vector]
    source_constants: Mapping[str, str | int | bool | None]
    ts_us: npt.NDArray[np.int64]
    position: tuple[npt.NDArray[np.int64], ...]
    transaction: INT32
    log_order: npt.NDArray[np.int64]
    transaction_ids: Vector | None = None

    def __len__(self) -> int:
        return len(self.op)
