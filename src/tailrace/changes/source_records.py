"""Source records: keys, values and headers of one topic as columns, before they are encoded.

Transforms see them; the name is Kafka Connect's. Columns are shared: `before` and `after` of a value refer to the same ones,
and the result of a transform may refer to the columns of its argument.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tailrace.changes.layouts import Layout
from tailrace.changes.records import INT64, Binary
from tailrace.changes.vectors import Vector

Mask = npt.NDArray[np.bool_]


class EventKind(enum.Enum):
    """The kind of records."""

    ROWS = "rows"  # with their tombstones
    TRANSACTION = "transaction"
    SCHEMA_CHANGE = "schema change"
    HEARTBEAT = "heartbeat"
    NOTIFICATION = "notification"


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: list i has the items `offsets[i]` to `offsets[i + 1]`.

    Attributes:
        offsets: shape (lists + 1,).
        columns: of the items.
        roles: the rows of these columns for each item; shape (roles, items).

    """

    offsets: INT64
    columns: Sequence[Vector]
    roles: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Objects:
    """A column of Python values, in the form of `connect_json.value_json`."""

    values: Sequence[Any]


AnyColumn = Vector | Lists | Objects


@dataclass(frozen=True, slots=True)
class SourceHeader:
    """A header; `present` says which records have it, shape (n,); None: all."""

    name: str
    layout: Layout
    present: Mask | None = None


@dataclass(slots=True)
class SourceRecords:
    """`n` records of one topic, in log order; never modified.

    Attributes:
        kind: of all of them.
        topic: of all of them.
        key: the layout of keys; None: all are null, without a schema.
        value: the layout of values.
        columns: by the slots of the layouts.
        roles: the row of a column for each record, or -1; shape (roles, n).
        timestamps: milliseconds since the epoch, shape (n,).
        positions: texts that sort in log order.
        log_order: rank among all records of the batch; shape (n,).
        has_key: False for records whose key is null without a schema, shape (n,); None: all have one.
        has_value: False for tombstones, whose value is null without a schema, shape (n,); None: there are none.
        headers: in order.
        partition: of the topic, for records whose partition does not follow from their key; else None.

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
        """The records for which `wanted` is true, shape (n,); they share the columns."""
        return self if wanted.all() else self.take(np.flatnonzero(wanted))

    def take(self, chosen: npt.NDArray[np.integer[Any]]) -> SourceRecords:
        """The records with these indices, in this order; they share the columns."""
        from tailrace.changes.taking import taken  # compiled code, which planners do without

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
    """Roles that map record i to row i; shape (roles, n)."""
    return np.tile(np.arange(n, dtype=np.int32), (roles, 1))


def _cut(mask: Mask | None, chosen: npt.NDArray[np.integer[Any]]) -> Mask | None:
    return None if mask is None else mask[chosen]
