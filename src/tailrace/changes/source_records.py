"""Source records: keys, values and headers of one topic as columns, before they are encoded.

This is what transforms see, under Kafka Connect's name for it. Columns are shared: those of a value's `before` and `after` are
the same ones, and what a transform makes may point into the columns of what it was given.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.changes.layouts import Layout
from tailrace.changes.merging import taken
from tailrace.changes.records import INT64, Binary
from tailrace.changes.vectors import Vector

Mask = npt.NDArray[np.bool_]


class EventKind(enum.Enum):
    """What the records tell."""

    ROWS = "rows"  # with their tombstones
    TRANSACTION = "transaction"
    SCHEMA_CHANGE = "schema change"
    HEARTBEAT = "heartbeat"
    NOTIFICATION = "notification"


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: list i has the items from `offsets[i]` up to `offsets[i + 1]`.

    Attributes:
        offsets: shape (lists + 1,).
        columns: of the items.
        roles: the rows of these columns that make up each item; shape (roles, items).

    """

    offsets: INT64
    columns: Sequence[Vector]
    roles: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Objects:
    """A column of plain Python values, as `connect_json.value_json` takes them."""

    values: Sequence[Any]


AnyColumn = Vector | Lists | Objects


@dataclass(frozen=True, slots=True)
class SourceHeader:
    """A header; `present` says which records carry it, None: all."""

    name: str
    layout: Layout
    present: Mask | None = None


@dataclass(slots=True)
class SourceRecords:
    """`n` records of one topic, in log order; not changed once they are made.

    Attributes:
        kind: what they tell.
        topic: where they go.
        key: the layout of keys; None: all are null, without a schema.
        value: the layout of values.
        columns: what the slots of layouts stand for.
        roles: which row of a column belongs to a record, -1 where none does; shape (roles, n).
        timestamps: milliseconds since the epoch, shape (n,).
        positions: text that sorts as the log does.
        log_order: rank among all records of the batch; shape (n,).
        has_key: False where a key is null without a schema; None: nowhere. Shape (n,).
        has_value: False for tombstones, whose value is null without a schema; None: there are none. Shape (n,).
        headers: in their order.
        partition: where the topic has several and the record's place does not follow from its key.

    """

    kind: EventKind
    topic: str
    key: Layout | None
    value: Layout
    columns: Sequence[AnyColumn]
    roles: npt.NDArray[np.int32]
    timestamps: INT64
    positions: Binary
    log_order: INT64
    has_key: Mask | None = None
    has_value: Mask | None = None
    headers: tuple[SourceHeader, ...] = field(default=())
    partition: int | None = None

    def __len__(self) -> int:
        return int(self.roles.shape[1])

    def where(self, wanted: Mask) -> SourceRecords:
        """Those that are wanted; shape (n,). Their columns are the same ones."""
        return self if wanted.all() else self.take(np.flatnonzero(wanted))

    def take(self, chosen: npt.NDArray[np.integer[Any]]) -> SourceRecords:
        """Some of them, by their numbers; the columns are the same ones."""
        return replace(
            self,
            roles=np.ascontiguousarray(self.roles[:, chosen]),
            timestamps=self.timestamps[chosen],
            positions=taken([self.positions], chosen),
            log_order=self.log_order[chosen],
            has_key=_cut(self.has_key, chosen),
            has_value=_cut(self.has_value, chosen),
            headers=tuple(replace(each, present=_cut(each.present, chosen)) for each in self.headers),
        )


def every_record(n: int, roles: int = 1) -> npt.NDArray[np.int32]:
    """Roles by each of which a record has the row of its own number; shape (roles, n)."""
    return np.tile(np.arange(n, dtype=np.int32), (roles, 1))


def _cut(mask: Mask | None, chosen: npt.NDArray[np.integer[Any]]) -> Mask | None:
    return None if mask is None else mask[chosen]
