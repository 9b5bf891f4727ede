"""Transaction metadata: the BEGIN and END records of each transaction.

A log of small transactions has as many of these records as changes, so they are columns too.

Debezium lists the tables of an END in the order of a Java HashMap. That order is kept, so that the records stay equal to
Debezium's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from tailrace.changes.layouts import Array, Column, Layout, Node, Struct
from tailrace.changes.outline import Outline, content_of
from tailrace.changes.records import Binary
from tailrace.changes.source_records import EventKind, Lists, SourceRecords
from tailrace.changes.vectors import Vector, integers
from tailrace.changes.views import vector_of
from tailrace.schema.connect import Field, Schema, Type
from tailrace.schema.event_shapes import CURRENT, SHAPE_1_4

Int64 = npt.NDArray[np.int64]

_STRING, _LONG = Schema(Type.STRING), Schema(Type.INT64)
_COLLECTION = Schema(
    Type.STRUCT,
    optional=True,
    name="event.collection",
    version=1,
    fields=(Field("data_collection", _STRING), Field("event_count", _LONG)),
)
TRANSACTION_KEY: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.TransactionMetadataKey",
    version=1,
    fields=(Field("id", _STRING),),
)
TRANSACTION_VALUE: Final = Schema(
    Type.STRUCT,
    name="io.debezium.connector.common.TransactionMetadataValue",
    version=1,
    fields=(
        Field("status", _STRING),
        Field("id", _STRING),
        Field("event_count", _LONG.with_(optional=True)),
        Field("data_collections", Schema(Type.ARRAY, optional=True, items=_COLLECTION)),
        Field("ts_ms", _LONG),
    ),
)
_COLLECTIONS_1_4 = Schema(Type.ARRAY, optional=True, items=_COLLECTION.without().with_(name=None))
TRANSACTION_VALUE_1_4: Final = TRANSACTION_VALUE.with_(
    version=None, fields=(*TRANSACTION_VALUE.fields[:3], Field("data_collections", _COLLECTIONS_1_4))
)


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of events by transaction and table; one entry for each pair.

    Attributes:
        transaction: index of the transaction; shape (p,).
        table: index into `names`; shape (p,). Within a transaction in the order of the tables' first events.
        count: number of events, at least 1; shape (p,).
        names: of the tables, as `database.table`.

    """

    transaction: Int64
    table: Int64
    count: Int64
    names: Sequence[str]


_TRANSACTION, _IS_END, _END, _RECORD = range(4)  # roles
_STATUS, _ID, _EVENT_COUNT, _COLLECTIONS, _TIME = range(5)  # slots
_TIME_BYTES, _COUNT_BYTES = 20, 45  # of a record, and of a table in an END
_STATES: Final = vector_of([b"BEGIN", b"END"])
_COLLECTION_NODE: Final = Struct(_COLLECTION, (Column(_STRING, 0, 0), Column(_LONG, 1, 1)))


class TransactionLayouts:
    """The layouts of BEGIN and END; `shape` is `tailrace.event.shape`: in 1.4 they have no `ts_ms`."""

    def __init__(self, shape: str = CURRENT) -> None:
        is_old = shape == SHAPE_1_4
        key = TRANSACTION_KEY.without() if is_old else TRANSACTION_KEY
        value = TRANSACTION_VALUE_1_4 if is_old else TRANSACTION_VALUE
        self.key = Layout(Struct(key, (Column(_STRING, _ID, _TRANSACTION),)))
        collections = value.field("data_collections").schema
        item = _COLLECTION_NODE if collections.items is None else replace(_COLLECTION_NODE, schema=collections.items)
        nodes: dict[str, Node] = {
            "status": Column(_STRING, _STATUS, _IS_END),
            "id": Column(_STRING, _ID, _TRANSACTION),
            "event_count": Column(value.field("event_count").schema, _EVENT_COUNT, _END),
            "data_collections": Array(collections, _COLLECTIONS, _END, item),
            "ts_ms": Column(_LONG, _TIME, _RECORD),
        }
        self.value = Layout(Struct(value, tuple(nodes[field.name] for field in value.fields)))


@dataclass(frozen=True, slots=True)
class Boundaries:
    """An `Event`: BEGIN and END of transactions.

    Attributes:
        topic: the transaction topic.
        layouts: of the records.
        now_us: the processing time, microseconds since the epoch.
        ids: the transactions' ids as text.
        transaction: index of each record's transaction in `ids`; shape (n,).
        end: for an END its index among the transactions of `counts`, for a BEGIN -1; shape (n,).
        counts: the events of the transactions that end.
        ts_ms: milliseconds since the epoch; shape (n,).
        positions: texts that sort in log order.
        log_order: rank among all records of the batch; shape (n,).

    """

    topic: str
    layouts: TransactionLayouts
    now_us: int
    ids: Vector
    transaction: Int64
    end: Int64
    counts: Counts
    ts_ms: Int64
    positions: Binary
    log_order: Int64

    def __len__(self) -> int:
        return len(self.transaction)

    def outline(self) -> Outline:
        """What is known of their size."""
        ids = content_of([self.ids])[0] // max(self.ids.length, 1)
        tables = sum(len(name) for name in self.counts.names) // max(len(self.counts.names), 1)
        content = len(self) * (2 * ids + _TIME_BYTES) + len(self.counts.count) * (tables + _COUNT_BYTES)
        return Outline(len(self), self.layouts.key, self.layouts.value, content, self.ids.data.nbytes)

    def source_records(self) -> SourceRecords:
        """A record for each."""
        n = len(self)
        ends = int(self.end.max(initial=-1)) + 1
        totals = np.bincount(self.counts.transaction, self.counts.count, ends).astype(np.int64)
        roles = np.stack([self.transaction, self.end >= 0, self.end, np.arange(n)]).astype(np.int32)
        return SourceRecords(
            kind=EventKind.TRANSACTION,
            topic=self.topic,
            key=self.layouts.key,
            value=self.layouts.value,
            columns=(_STATES, self.ids, integers(totals), _collections(self.counts, ends), integers(self.ts_ms)),
            roles=roles,
            timestamps=np.full(n, self.now_us // 1000, np.int64),
            positions=self.positions,
            log_order=self.log_order,
        )


def _collections(counts: Counts, ends: int) -> Lists:
    """The tables of each END, with the number of their events."""
    order = java_order(counts)
    owner, table = counts.transaction[order], counts.table[order]
    offsets = np.searchsorted(owner, np.arange(ends + 1))
    names = vector_of([name.encode() for name in counts.names])
    roles = np.stack([table, np.arange(len(order))]).astype(np.int32)
    return Lists(offsets, (names, integers(counts.count[order])), roles)


def java_order(counts: Counts) -> Int64:
    """The order of the pairs: by transaction, and within it as in Java's `HashMap`.

    A map begins with 16 buckets and doubles them when it is fuller than three quarters; a bucket keeps its entries in the order
    of insertion. (A map that was larger before keeps its buckets; that is not reproduced.)
    """
    hashes = np.array([_spread_hash(name) for name in counts.names] or [0], np.int64)
    owner = counts.transaction
    sizes = np.bincount(owner) if len(owner) else np.zeros(1, np.int64)
    needed = np.maximum(sizes[owner] * 4 / 3, 1)
    buckets = np.maximum(1 << np.ceil(np.log2(needed)).astype(np.int64), 16)
    return np.lexsort((np.arange(len(owner)), hashes[counts.table] & (buckets - 1), owner))


def _spread_hash(text: str) -> int:
    """The hash code of a Java String, with its high bits mixed in as `HashMap` does."""
    data = text.encode("utf-16-be")
    value = 0
    for i in range(0, len(data), 2):
        value = (31 * value + (data[i] << 8 | data[i + 1])) & 0xFFFF_FFFF
    return value ^ value >> 16
