"""Changes: one table's row changes in log order, as columns.

A row change has one or two row images. All images of a batch are in the same columns, and `before` and `after` are the indices
of a change's images. A column policy is therefore applied once to all images, and updates need no second set of columns.

What the log has once for many changes is stored once. Facts of an event, of a transaction or of the whole batch are vectors
with one value for each of those, shared by all tables of the batch; a *level* says how a change finds its value.
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
    """What a vector has one value for; the numbers are the rows of `Expansion.roles` that index them."""

    CHANGE = 0
    EVENT = 8
    TRANSACTION = 9
    BATCH = 7  # one value for all


@dataclass(frozen=True, slots=True)
class Fact:
    """A vector, and its level: what each of its values belongs to."""

    vector: Vector
    level: Level


@dataclass(slots=True)
class Changes:
    """`n` changes of one table with one structure, in log order.

    Attributes:
        columns: the row images: a vector of m values for each column of the structure; None for a column that is not needed.
        before: index of each change's before image, or -1; shape (n,).
        after: index of each change's after image, or -1; shape (n,).
        op: the operation (`CREATE`, `UPDATE`, `DELETE`, `TRUNCATE`, `READ`); shape (n,).
        event: index of each change's event in facts of level `EVENT`; shape (n,).
        transaction: index of its transaction in facts of level `TRANSACTION`; shape (n,).
        source: the fields of the source block that vary.
        constants: the other fields of the source block, which never change.
        position: the integers of which the position's text is made.
        log_order: the rank of each change among all changes of the batch; shape (n,).
        transaction_id: the ids of transactions as text; None without `provide.transaction.metadata`.

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
