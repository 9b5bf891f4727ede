"""Changes: one table's row changes in log order, as columns.

A row change has up to two row images. The images of a batch stand one after the other in the same columns, and
`before` and `after` say which image belongs to which change, so that a column policy is applied once to all of them
and an update's two images need no second set of columns.

What the log says once for many changes is kept once: the facts of an event, of a transaction and of the whole batch
are vectors of that many values, shared by all tables of the batch, and a *level* says how a change finds its own.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tailrace.changes.vectors import Vector

INT32 = npt.NDArray[np.int32]

CREATE, UPDATE, DELETE, TRUNCATE, READ = (ord(c) for c in "cudtr")


class Level(enum.IntEnum):
    """For what a value of a vector stands; the numbers are rows of an expansion's roles."""

    CHANGE = 0
    EVENT = 8
    TRANSACTION = 9
    BATCH = 7  # one value for all


@dataclass(frozen=True, slots=True)
class Fact:
    """A vector, and for what each of its values stands."""

    vector: Vector
    level: Level


@dataclass(slots=True)
class Changes:
    """`n` changes of one table in one structure version, in log order.

    Attributes:
        columns: the row images, a vector of m values for each column of the structure; None where it is not wanted.
        before: index of the image before each change, -1 where there is none; shape (n,).
        after: the same for the image after; shape (n,).
        op: the operation (`CREATE`, `UPDATE`, `DELETE`, `TRUNCATE`, `READ`); shape (n,).
        event: index of each change's event in facts of the level `EVENT`; shape (n,).
        transaction: index of its transaction in facts of the level `TRANSACTION`; shape (n,).
        source: the fields of the source block that vary.
        constants: its other fields, the same for ever.
        position: the integers that make up the position's text.
        log_order: the rank of each change among all changes of the batch of the log; shape (n,).
        transaction_id: the text id of transactions; None unless transaction metadata is asked for.

    """

    columns: list[Vector | None]
    before: INT32
    after: INT32
    op: npt.NDArray[np.uint8]
    event: INT32
    transaction: INT32
    source: Mapping[str, Fact]
    constants: Mapping[str, str | int | bool | None]
    position: tuple[Fact, ...]
    log_order: npt.NDArray[np.int64]
    transaction_id: Fact | None = None

    def __len__(self) -> int:
        return len(self.op)
